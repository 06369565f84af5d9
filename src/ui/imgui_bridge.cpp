// Dear ImGui's context, its input and its passes, drawn by its own OpenGL 3 backend.

#include "ui/imgui_bridge.h"

#include <cerrno>
#include <cfloat>
#include <cstdlib>
#include <new>

#include <backends/imgui_impl_opengl3.h>

#include "ui/imgui_text.hpp"
#include "ui/imgui_widgets.hpp"

extern "C" {
#include "base/hash.h"
#include "base/vec.h"
#include "glyphs/texture.h"
}

namespace
{
constexpr float TURN_S = 1.0f / 60.0f;
constexpr unsigned BUTTONS = 3;

void *allocate(size_t n_bytes, void *)
{
    return rv_alloc_scratch(n_bytes, 1);
}

void release(void *memory, void *)
{
    std::free(memory);
}
} // namespace

struct rv_imgui {
    ImGuiContext *context;
    bool has_backend;
    rv_imgui_texts texts;
    GLuint texture;
    rv_imgui_pixels pixels; // now in the texture
    uint64_t pixels_hash;   // of those drawn in this pass
};

// ---- life ----

static void set_keys(ImGuiIO &io)
{
    static const ImGuiKey keys[RV_IMGUI_KEY_COUNT] = {
        ImGuiKey_LeftArrow, ImGuiKey_RightArrow, ImGuiKey_UpArrow, ImGuiKey_DownArrow, ImGuiKey_Home, ImGuiKey_End,
        ImGuiKey_Backspace, ImGuiKey_Delete,     ImGuiKey_Enter,   ImGuiKey_Escape,    ImGuiKey_Tab,  ImGuiKey_A,
        ImGuiKey_C,         ImGuiKey_V,          ImGuiKey_X,       ImGuiKey_Y,         ImGuiKey_Z};
    for (int i = 0; i < RV_IMGUI_KEY_COUNT; i++)
        io.KeyMap[keys[i]] = i;
}

int rv_imgui_create(rv_imgui **imgui)
{
    *imgui = nullptr;
    rv_imgui *made = new (std::nothrow) rv_imgui();
    if (!made)
        return -ENOMEM;
    IMGUI_CHECKVERSION();
    ImGui::SetAllocatorFunctions(allocate, release);
    made->context = ImGui::CreateContext();
    rv_imgui_texts_init(&made->texts);
    ImGuiIO &io = ImGui::GetIO();
    io.IniFilename = io.LogFilename = nullptr;
    io.ConfigInputTextCursorBlink = false;
    io.MousePos = ImVec2(-FLT_MAX, -FLT_MAX);
    set_keys(io);
    rv_imgui_set_sizes();
    made->has_backend = ImGui_ImplOpenGL3_Init("#version 330 core");
    if (!made->has_backend) {
        rv_imgui_destroy(made);
        return -ENOTSUP;
    }
    *imgui = made;
    return 0;
}

void rv_imgui_destroy(rv_imgui *imgui)
{
    if (!imgui)
        return;
    glDeleteTextures(1, &imgui->texture);
    rv_imgui_texts_fini(&imgui->texts);
    if (imgui->has_backend)
        ImGui_ImplOpenGL3_Shutdown();
    ImGui::DestroyContext(imgui->context);
    delete imgui;
}

// ---- input ----

void rv_imgui_mouse(rv_imgui *, float x, float y)
{
    ImGui::GetIO().MousePos = ImVec2(x, y);
}

void rv_imgui_mouse_leave(rv_imgui *)
{
    ImGui::GetIO().MousePos = ImVec2(-FLT_MAX, -FLT_MAX);
}

void rv_imgui_button_set(rv_imgui *, unsigned button, bool is_down)
{
    if (button < BUTTONS)
        ImGui::GetIO().MouseDown[button] = is_down;
}

void rv_imgui_wheel(rv_imgui *, float turns)
{
    ImGui::GetIO().MouseWheel += turns;
}

void rv_imgui_key_set(rv_imgui *, rv_imgui_key key, bool is_down)
{
    ImGui::GetIO().KeysDown[key] = is_down;
}

void rv_imgui_modifiers(rv_imgui *, bool has_ctrl, bool has_shift, bool has_alt)
{
    ImGuiIO &io = ImGui::GetIO();
    io.KeyCtrl = has_ctrl;
    io.KeyShift = has_shift;
    io.KeyAlt = has_alt;
}

void rv_imgui_type(rv_imgui *, const char *utf8)
{
    ImGui::GetIO().AddInputCharactersUTF8(utf8);
}

bool rv_imgui_wants_mouse(const rv_imgui *)
{
    return ImGui::GetIO().WantCaptureMouse;
}

bool rv_imgui_wants_text(const rv_imgui *)
{
    return ImGui::GetIO().WantTextInput;
}

// ---- passes ----

void rv_imgui_begin(rv_imgui *imgui, const int size_px[2], double scale, uint64_t text_ns, const rv_ui_style *style)
{
    ImGuiIO &io = ImGui::GetIO();
    float wanted = scale > 0.0 ? (float)scale : 1.0f;
    rv_imgui_texts_begin(&imgui->texts, wanted, text_ns);
    rv_imgui_set_colours(style);
    io.DisplaySize = ImVec2((float)size_px[0] / wanted, (float)size_px[1] / wanted);
    io.DisplayFramebufferScale = ImVec2(wanted, wanted);
    io.DeltaTime = TURN_S;
    imgui->pixels_hash = 0;
    ImGui_ImplOpenGL3_NewFrame();
    ImGui::NewFrame();
}

static uint64_t hash_of(const ImDrawList *list)
{
    uint64_t hash = rv_hash_bytes(list->VtxBuffer.Data, (size_t)list->VtxBuffer.size_in_bytes());
    hash = rv_hash_combine(hash, rv_hash_bytes(list->IdxBuffer.Data, (size_t)list->IdxBuffer.size_in_bytes()));
    for (const ImDrawCmd &command : list->CmdBuffer) {
        hash = rv_hash_combine(hash, rv_hash_bytes(&command.ClipRect, sizeof command.ClipRect));
        hash = rv_hash_combine(hash, command.ElemCount);
    }
    return hash;
}

uint64_t rv_imgui_end(rv_imgui *imgui)
{
    ImGui::Render();
    uint64_t hash = imgui->pixels_hash;
    const ImDrawData *data = ImGui::GetDrawData();
    for (int i = 0; i < data->CmdListsCount; i++)
        hash = rv_hash_combine(hash, hash_of(data->CmdLists[i]));
    return hash;
}

bool rv_imgui_lacks_text(const rv_imgui *imgui)
{
    return rv_text_lines_is_late(imgui->texts.lines);
}

void rv_imgui_draw(rv_imgui *imgui)
{
    rv_glyph_texture_bind(imgui->texts.glyphs, rv_text_lines_atlas(imgui->texts.lines));
    glBindTexture(GL_TEXTURE_2D, 0);
    if (ImGui::GetDrawData())
        ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
}

// ---- a picture ----

static void upload(rv_imgui *imgui, const rv_imgui_pixels *pixels)
{
    if (!imgui->texture)
        glGenTextures(1, &imgui->texture);
    glBindTexture(GL_TEXTURE_2D, imgui->texture);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, pixels->width, pixels->height, 0, GL_RGBA, GL_UNSIGNED_BYTE, pixels->rgba);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    glBindTexture(GL_TEXTURE_2D, 0);
    imgui->pixels = *pixels;
}

void rv_imgui_draw_pixels(rv_imgui *imgui, rv_imgui_area area, const rv_imgui_pixels *pixels)
{
    if (!imgui->texture || imgui->pixels.version != pixels->version)
        upload(imgui, pixels);
    imgui->pixels_hash = rv_hash_combine(imgui->pixels_hash, pixels->version + 1);
    ImGui::GetWindowDrawList()->AddImage((ImTextureID)(intptr_t)imgui->texture, ImVec2(area.x, area.y),
                                         ImVec2(area.x + area.width, area.y + area.height));
}
