#include "import/json_parser.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <yajl/yajl_parse.h>

#include "base/vec.h"

/* Limit of nesting, above any real trace. */
enum { MAX_DEPTH = 512 };
/* Limit of a string or number, which is buffered until complete. */
#define MOST_TOKEN_BYTES (16u << 20)

struct rv_json {
    yajl_handle parser;
    const struct rv_json_handler *handler;
    void *context;
    int error; /* returned by the handler */
    unsigned depth;
    bool has_ended;
    unsigned n_mark; /* bytes of a byte order mark passed; 3: past it */
    uint64_t n_fed;
    /* a comma is kept back until the next token */
    bool is_in_string, is_escaped, has_comma, has_object; /* has_object: the last token ended one */
    size_t n_token;                                       /* bytes since the last end of a string or number */
};

/* ---- yajl's callbacks: 0 stops it ---- */

static int on_null(void *context)
{
    struct rv_json *json = context;
    json->error = json->depth && json->handler->nothing ? json->handler->nothing(json->context) : 0;
    return json->depth > 0 && json->error == 0; /* a bare value is not a trace */
}

static int on_boolean(void *context, int value)
{
    (void)value;
    return on_null(context);
}

static int on_value(struct rv_json *json, const char *bytes, size_t n, bool is_number)
{
    json->error = json->depth ? json->handler->value(json->context, bytes, n, is_number) : 0;
    return json->depth > 0 && json->error == 0;
}

static int on_number(void *context, const char *bytes, size_t n)
{
    return on_value(context, bytes, n, true);
}

static int on_string(void *context, const unsigned char *bytes, size_t n)
{
    return on_value(context, (const char *)bytes, n, false);
}

static int on_key(void *context, const unsigned char *key, size_t n)
{
    struct rv_json *json = context;
    json->error = json->handler->key(json->context, (const char *)key, n);
    return json->error == 0;
}

static int open_value(struct rv_json *json, bool is_array)
{
    json->depth++;
    json->error = json->handler->open(json->context, is_array);
    return json->depth <= MAX_DEPTH && json->error == 0;
}

static int close_value(struct rv_json *json, bool is_array)
{
    json->error = json->handler->close(json->context, is_array);
    json->depth--;
    json->has_ended = json->depth == 0;
    return json->error == 0;
}

static int on_start_map(void *context)
{
    return open_value(context, false);
}

static int on_start_array(void *context)
{
    return open_value(context, true);
}

static int on_end_map(void *context)
{
    return close_value(context, false);
}

static int on_end_array(void *context)
{
    return close_value(context, true);
}

/* ---- life ---- */

static void *allocate(void *context, size_t n_bytes)
{
    (void)context;
    return rv_alloc_scratch(n_bytes, 1);
}

static void *reallocate(void *context, void *memory, size_t n_bytes)
{
    (void)context;
    return rv_realloc(memory, n_bytes);
}

static void release(void *context, void *memory)
{
    (void)context;
    free(memory);
}

struct rv_json *rv_json_create(const struct rv_json_handler *handler, void *context)
{
    static const yajl_callbacks callbacks = {.yajl_null = on_null,
                                             .yajl_boolean = on_boolean,
                                             .yajl_number = on_number,
                                             .yajl_string = on_string,
                                             .yajl_start_map = on_start_map,
                                             .yajl_map_key = on_key,
                                             .yajl_end_map = on_end_map,
                                             .yajl_start_array = on_start_array,
                                             .yajl_end_array = on_end_array};
    static yajl_alloc_funcs never_null = {allocate, reallocate, release, NULL};
    struct rv_json *json = rv_alloc(1, sizeof *json);
    json->handler = handler;
    json->context = context;
    json->parser = yajl_alloc(&callbacks, &never_null, json);
    /* Names are escaped where they are interned. */
    yajl_config(json->parser, yajl_dont_validate_strings, 1);
    yajl_config(json->parser, yajl_allow_trailing_garbage, 1);
    return json;
}

void rv_json_destroy(struct rv_json *json)
{
    if (!json)
        return;
    yajl_free(json->parser);
    free(json);
}

unsigned rv_json_depth(const struct rv_json *json)
{
    return json->depth;
}

bool rv_json_has_ended(const struct rv_json *json)
{
    return json->has_ended;
}

/* ---- text ---- */

static int explain(const struct rv_json *json, yajl_status status, const char *bytes, size_t n, char *why,
                   size_t why_bytes)
{
    if (json->error)
        return json->error;
    uint64_t at = json->n_fed + yajl_get_bytes_consumed(json->parser);
    if (status == yajl_status_client_canceled) {
        snprintf(why, why_bytes, "%s at byte %llu", json->depth ? "values nested too deep" : "not a trace",
                 (unsigned long long)at);
        return -EBADMSG;
    }
    unsigned char *said = yajl_get_error(json->parser, 0, (const unsigned char *)bytes, n);
    const char *text = said ? (const char *)said : "not JSON";
    snprintf(why, why_bytes, "%.*s at byte %llu", (int)strcspn(text, "\n"), text, (unsigned long long)at);
    yajl_free_error(json->parser, said);
    return -EBADMSG;
}

static int parse(struct rv_json *json, const char *bytes, size_t n, char *why, size_t why_bytes)
{
    yajl_status status = yajl_parse(json->parser, (const unsigned char *)bytes, n);
    if (status != yajl_status_ok)
        return explain(json, status, bytes, n, why, why_bytes);
    json->n_fed += n;
    return 0;
}

enum token { TOKEN_PART, TOKEN_BLANK, TOKEN_END };

static const uint8_t TOKENS[256] = {
    [' '] = TOKEN_BLANK, ['\n'] = TOKEN_BLANK, ['\t'] = TOKEN_BLANK, ['\r'] = TOKEN_BLANK,
    [','] = TOKEN_END,   [':'] = TOKEN_END,    ['['] = TOKEN_END,    [']'] = TOKEN_END,
    ['{'] = TOKEN_END,   ['}'] = TOKEN_END,    ['"'] = TOKEN_END,
};

static bool is_space(char byte)
{
    return TOKENS[(uint8_t)byte] == TOKEN_BLANK;
}

/* Bytes to the quote that ends a string, or n; control characters become blanks. */
static size_t pass_string(struct rv_json *json, char *bytes, size_t n)
{
    size_t i = 0;
    for (; i < n; i++) {
        if (json->is_escaped)
            json->is_escaped = false;
        else if (bytes[i] == '\\')
            json->is_escaped = true;
        else if (bytes[i] == '"')
            break;
        if ((uint8_t)bytes[i] < ' ')
            bytes[i] = ' ';
    }
    json->is_in_string = i == n;
    json->n_token = i == n ? json->n_token + n : 0;
    return i;
}

/* Insert a missing comma between two objects: in place of a blank, or else as an extra byte. */
static int add_comma(struct rv_json *json, char *bytes, size_t at, size_t *from, char *why, size_t why_bytes)
{
    if (at > *from && is_space(bytes[at - 1])) {
        bytes[at - 1] = ',';
        return 0;
    }
    int error = parse(json, bytes + *from, at - *from, why, why_bytes);
    *from = at;
    if (!error)
        error = parse(json, ",", 1, why, why_bytes);
    json->n_fed--; /* not a byte of the file */
    return error;
}

/*
 * Parse, with commas before a closing bracket blanked out and missing ones added between objects. A comma whose next
 * token has not arrived yet is kept back.
 */
static int feed_tokens(struct rv_json *json, char *bytes, size_t n, char *why, size_t why_bytes)
{
    size_t comma = n, from = 0;
    for (size_t i = json->is_in_string ? pass_string(json, bytes, n) + 1 : 0; i < n; i++) {
        char byte = bytes[i];
        enum token token = TOKENS[(uint8_t)byte];
        json->n_token = token == TOKEN_PART ? json->n_token + 1 : 0;
        if (token == TOKEN_BLANK)
            continue;
        int error = json->has_object && byte == '{' ? add_comma(json, bytes, i, &from, why, why_bytes) : 0;
        if (error || json->has_ended)
            return error;
        json->has_object = byte == '}';
        if ((byte == ']' || byte == '}') && comma < n)
            bytes[comma] = ' ';
        comma = byte == ',' ? i : n;
        if (byte == '"')
            i += 1 + pass_string(json, bytes + i + 1, n - i - 1);
    }
    if (json->n_token > MOST_TOKEN_BYTES) {
        snprintf(why, why_bytes, "a string or number without end");
        return -EBADMSG;
    }
    int error = parse(json, bytes + from, comma - from, why, why_bytes);
    json->has_comma = !error && comma < n; /* only blanks follow it */
    return error;
}

/* Keep or drop a comma of the last piece: is it between two values? */
static int feed_comma(struct rv_json *json, const char *bytes, size_t n, char *why, size_t why_bytes)
{
    size_t i = 0;
    while (i < n && is_space(bytes[i]))
        i++;
    if (i == n)
        return 0;
    json->has_comma = false;
    return bytes[i] == ']' || bytes[i] == '}' ? 0 : parse(json, ",", 1, why, why_bytes);
}

static const char MARK[] = "\xef\xbb\xbf";

/* A byte order mark at the very beginning. */
static size_t pass_mark(struct rv_json *json, const char *bytes, size_t n)
{
    size_t i = 0;
    for (; i < n && json->n_mark < sizeof MARK - 1 && bytes[i] == MARK[json->n_mark]; i++)
        json->n_mark++;
    if (i < n)
        json->n_mark = sizeof MARK - 1;
    return i;
}

int rv_json_feed(struct rv_json *json, char *bytes, size_t n, char *why, size_t why_bytes)
{
    size_t n_mark = pass_mark(json, bytes, n);
    bytes += n_mark;
    n -= n_mark;
    if (json->has_ended || n == 0)
        return 0;
    int error = json->has_comma ? feed_comma(json, bytes, n, why, why_bytes) : 0;
    return error || json->has_comma ? error : feed_tokens(json, bytes, n, why, why_bytes);
}

/* ---- what a file begins with ---- */

bool rv_json_is(const char *bytes, size_t n, const char *word)
{
    return n == strlen(word) && memcmp(bytes, word, n) == 0;
}

static bool is_one_of(const char *bytes, size_t n, const char *const *keys)
{
    for (; *keys; keys++)
        if (rv_json_is(bytes, n, *keys))
            return true;
    return false;
}

int rv_json_key_of(const struct rv_json_key *keys, const char *bytes, size_t n)
{
    for (; keys->word; keys++)
        if (rv_json_is(bytes, n, keys->word))
            return keys->key;
    return 0;
}

bool rv_json_has_key(const char *head, size_t n, const char *const *keys)
{
    unsigned depth = 0;
    bool is_key = false;
    for (size_t i = n >= 3 && memcmp(head, MARK, 3) == 0 ? 3 : 0; i < n; i++) {
        if (head[i] == '"') {
            size_t first = ++i;
            while (i < n && head[i] != '"')
                i += head[i] == '\\' ? 2 : 1;
            if (depth == 1 && is_key && i < n && is_one_of(head + first, i - first, keys))
                return true;
            is_key = false;
        } else if (head[i] == '{' || head[i] == '[') {
            is_key = ++depth == 1 && head[i] == '{';
            if (depth == 1 && !is_key)
                return false;
        } else if ((head[i] == '}' || head[i] == ']') && depth > 0) {
            depth--;
        } else if (head[i] == ',') {
            is_key = depth == 1;
        } else if (depth == 0 && !is_space(head[i])) {
            return false;
        }
    }
    return false;
}
