// SPDX-License-Identifier: Apache-2.0
// The page from score against speed to the sections of the networks.
#include "page.hpp"

#include "../../reporting/html.hpp"
#include "figures.hpp"
#include "page_sections.hpp"

#include <fmt/format.h>

namespace int8_accuracy {

using namespace reporting;

namespace {

std::string navigation(const report &r) {
    std::string html = "<nav aria-label=\"networks\"><ul>\n";
    for (const network_report &net : r.networks)
        html += fmt::format(
            "<li><a href=\"#{}\">{}</a></li>\n", anchor_of(net.name), escaped(net.name));
    return html + "</ul></nav>\n";
}

std::string pareto_section(const report &r) {
    std::string plots, without;
    for (const network_report &net : r.networks) {
        const std::string plot = pareto_plot(net);
        plots += plot;
        if (plot.empty()) without += (without.empty() ? "" : ", ") + net.name;
    }
    std::string html = "<section aria-labelledby=\"frontier\">\n<h2 id=\"frontier\">Accuracy "
                       "against speed</h2>\n";
    if (!plots.empty())
        html += paragraphs({"Each point is a way to store the numbers of a network; the bars are "
                            "intervals of 95 %. Nothing is better in both directions than the "
                            "points on the dashed line. Blue: formats, green: choices of int8."}) +
                "<div class=\"pair\">\n" + plots + "</div>\n";
    if (!without.empty()) html += paragraphs({"Speeds were not measured: " + without + "."});
    return html + "</section>\n";
}

/// "-0.12 points, 2.74x": what static int8 costs and wins.
std::string network_card(const network_report &net) {
    const method_result *f32 = reference(net), *int8 = static_int8(net);
    if (!f32 || !int8) return {};
    const double speed = speed_up(net, *int8),
                 bytes = ratio(sum(f32->weight_bytes), sum(int8->weight_bytes));
    const std::string change = difference_text(net.kind, int8->found.value - f32->found.value);
    std::string meaning =
        fmt::format("{}: {} {} in f32, {} in {}", net.name, score_text(net.kind, f32->found),
            unit_of(net.kind), score_text(net.kind, int8->found), int8->name);
    if (bytes > 0) meaning += fmt::format(", weights {} times smaller", number(bytes, 2));
    return card(fmt::format("{} {}{}", change, net.kind == score_kind::accuracy ? "points" : "bits",
                    speed > 0 ? ", " + ratio_text(speed) : ""),
        meaning);
}

std::string card_section(const report &r) {
    std::vector<std::string> each;
    bool equal = true, measured = false;
    for (const network_report &net : r.networks) {
        each.push_back(network_card(net));
        equal = equal && equal_bits(net);
        measured = measured || (net.exact && own_level(net));
    }
    if (measured)
        each.push_back(card(equal ? "equal bits" : "bits differ",
            "results of static int8 under all caps on the instruction set, of networks without exp "
            "and tanh in f32"));
    return cards(each);
}

std::string remarks_section(const network_report &net) {
    if (net.remarks.empty()) return {};
    std::string html = "<ul>\n";
    for (const std::string &remark : net.remarks) html += "<li>" + escaped(remark) + "</li>\n";
    return html + "</ul>\n";
}

std::string network_section(const network_report &net) {
    const std::string anchor = anchor_of(net.name);
    return fmt::format("<section aria-labelledby=\"{0}\">\n<h2 id=\"{0}\">{1}</h2>\n", anchor,
               escaped(net.name)) +
           paragraphs(facts_of(net)) + remarks_section(net) + scores_section(net) +
           layers_section(net) + speed_section(net) + training_section(net) + ranges_section(net) +
           (net.text.empty()
                   ? ""
                   : "<details><summary>The network as text</summary><pre tabindex=\"0\">" +
                         escaped(net.text) + "</pre></details>\n") +
           "</section>\n";
}

} // namespace

std::string page_of(const report &r) {
    std::string body = "<main>\n" + navigation(r) + pareto_section(r) + card_section(r);
    for (const network_report &net : r.networks) body += network_section(net);
    return page("int8 accuracy", "What narrow numbers cost and win",
        fmt::format("{} on {}, {} thread{}, seed {}.", r.library, r.cpu, r.threads,
            r.threads == 1 ? "" : "s", r.seed),
        body + "</main>\n");
}

void write_page(const report &r, const std::filesystem::path &path) {
    write_text(page_of(r), path);
}

} // namespace int8_accuracy
