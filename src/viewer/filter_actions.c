#include "viewer/filter_actions.h"

#include "viewer/viewer.h"

bool rv_viewer_filter_add(struct rv_viewer *viewer, const char *rule)
{
    viewer->rule_why[0] = '\0';
    return rv_filter_add(&viewer->search.filter, rule, viewer->rule_why, sizeof viewer->rule_why) == 0;
}

/* In the search bar. */
static void ask_for_rule(struct rv_viewer_panels *panels)
{
    panels->has_search = true;
    panels->n_rules_asked++;
}

bool rv_viewer_filter_act(struct rv_viewer *viewer, const struct rv_act *act)
{
    const struct rv_filter **filter = &viewer->search.filter;
    const bool has_rule = act->idx < rv_filter_n_rules(*filter);
    switch ((int)act->action) {
    case RV_ACTION_LET:
        if (act->text)
            (void)rv_viewer_filter_add(viewer, act->text);
        else
            ask_for_rule(&viewer->panels);
        break;
    case RV_ACTION_HIDE:
        rv_filter_set_mode(filter, rv_filter_mode(*filter) == RV_FILTER_HIDE ? RV_FILTER_DIM : RV_FILTER_HIDE);
        break;
    case RV_ACTION_INVERT_RULE:
        if (has_rule)
            rv_filter_invert(filter, act->idx);
        break;
    case RV_ACTION_REMOVE_RULE:
        if (has_rule)
            rv_filter_remove(filter, act->idx);
        break;
    case RV_ACTION_RESET_FILTER:
        while (rv_filter_n_rules(*filter))
            rv_filter_remove(filter, 0);
        break;
    default:
        return false;
    }
    rv_viewer_point(viewer);
    return true;
}
