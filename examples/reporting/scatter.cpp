// SPDX-License-Identifier: Apache-2.0
// Points with intervals, a frontier, and labels that keep clear of each other.
#include "plots.hpp"

#include "canvas.hpp"

#include <limits>
#include <utility>

namespace reporting {
namespace {

constexpr double width = 560, height = 420, left = 62, right = 548, top = 34, bottom = 362;

struct box {
    double x0, y0, x1, y1;

    double overlap(const box &other) const {
        const double w = std::min(x1, other.x1) - std::max(x0, other.x0);
        const double h = std::min(y1, other.y1) - std::max(y0, other.y0);
        return w > 0 && h > 0 ? w * h : 0;
    }
};

/// Where things are: y is turned around where less is better, so that better is up.
struct plane {
    double low_x = 0, high_x = 1, worst_y = 0, best_y = 1;

    double x(double value) const {
        return left + (right - left) * (value - low_x) / (high_x - low_x);
    }
    double y(double value) const {
        const double part = (value - worst_y) / (best_y - worst_y);
        return bottom - (bottom - top) * std::clamp(part, 0., 1.);
    }
    bool beyond(double value) const { return (value - worst_y) / (best_y - worst_y) < 0; }
};

plane plane_of(const std::vector<scatter_point> &points, bool upwards, double worst) {
    double low = std::numeric_limits<double>::infinity(), high = -low, low_x = low, high_x = -low;
    for (const scatter_point &p : points) {
        low = std::min({low, p.y.value, p.y.low});
        high = std::max({high, p.y.value, p.y.high});
        low_x = std::min(low_x, p.x);
        high_x = std::max(high_x, p.x);
    }
    if (upwards)
        low = std::max(low, std::min(worst, high));
    else
        high = std::min(high, std::max(worst, low));
    const double room = std::max(1e-6, .06 * (high - low));
    low -= room;
    high += room;
    const double room_x = std::max(1e-6, high_x > low_x ? .1 * (high_x - low_x) : .1 * high_x);
    return {
        std::max(0., low_x - room_x), high_x + room_x, upwards ? low : high, upwards ? high : low};
}

void draw_axes(canvas &c, const plane &area, int decimals) {
    const double x_step = round_step(area.high_x - area.low_x, 7);
    for (double tick = std::ceil(area.low_x / x_step) * x_step; tick <= area.high_x;
         tick += x_step) {
        c.line(area.x(tick), top, area.x(tick), bottom, grid_color);
        c.text(area.x(tick), bottom + 17, "middle", short_number(tick), "a");
    }
    const double low = std::min(area.worst_y, area.best_y),
                 high = std::max(area.worst_y, area.best_y);
    const double y_step = std::max(round_step(high - low, 7), std::pow(10, -decimals));
    for (double tick = std::ceil(low / y_step) * y_step; tick <= high; tick += y_step) {
        c.line(left, area.y(tick), right, area.y(tick), grid_color);
        c.text(left - 6, area.y(tick) + 4, "end", fmt::format("{:.{}f}", tick, decimals), "a");
    }
}

/// The border of what is worse than some point of the frontier in both directions, as horizontal
/// and vertical pieces.
std::vector<box> frontier_pieces(const plane &area, std::vector<scatter_point> points) {
    std::erase_if(points, [](const scatter_point &p) { return !p.frontier; });
    std::sort(points.begin(), points.end(),
        [](const scatter_point &a, const scatter_point &b) { return a.x < b.x; });
    std::vector<box> pieces;
    double x = left;
    for (std::size_t i = 0; i < points.size(); ++i) {
        const double y = area.y(points[i].y.value), next_x = area.x(points[i].x);
        const bool last = i + 1 == points.size();
        pieces.push_back({x, y, next_x, y});
        pieces.push_back({next_x, y, next_x, last ? bottom : area.y(points[i + 1].y.value)});
        x = next_x;
    }
    return pieces;
}

void draw_frontier(canvas &c, const std::vector<box> &pieces) {
    std::string stair;
    for (const box &p : pieces)
        stair += fmt::format(
            "{}{:.1f},{:.1f} L{:.1f},{:.1f} ", stair.empty() ? "M" : "L", p.x0, p.y0, p.x1, p.y1);
    if (!stair.empty()) c.path(stair, axis_color, "none", "5 4");
}

/// Tries places around a point, the nearer the better, and keeps what has been placed.
class label_placer {
  public:
    /// Never covered: points.
    void avoid(const box &obstacle) { obstacles_.push_back(obstacle); }
    /// Covered only if there is no other place: lines.
    void avoid_if_possible(const box &obstacle) { lines_.push_back(obstacle); }

    /// Whether there is a place for `words` near (x, y); `found` is its box.
    bool place(double x, double y, const std::string &words, box &found) {
        const double w = text_width(words), h = 14;
        for (const auto &[farthest, over_lines] :
            {std::pair {50, false}, {50, true}, {150, false}, {150, true}, {260, true}})
            for (double distance = 8; distance <= farthest; distance += 6)
                for (const auto &[dx, dy] : directions) {
                    const double cx = x + dx * (distance + w / 2), cy = y + dy * (distance + h / 2);
                    found = {cx - w / 2, cy - h / 2, cx + w / 2, cy + h / 2};
                    if (!free(found, over_lines) || leader_crosses(x, y, found)) continue;
                    obstacles_.push_back(found);
                    labels_.push_back(found);
                    leaders_.push_back(
                        {x, y, near(x, found.x0, found.x1), near(y, found.y0, found.y1)});
                    return true;
                }
        return false;
    }

    static double near(double value, double low, double high) {
        return std::clamp(value, low, high);
    }

  private:
    static constexpr std::array<std::array<double, 2>, 12> directions {
        {{1, 0}, {-1, 0}, {.7, -.8}, {-.7, -.8}, {.7, .8}, {-.7, .8}, {0, -1}, {0, 1}, {.9, -.4},
            {-.9, -.4}, {.9, .4}, {-.9, .4}}};

    bool free(const box &b, bool over_lines) const {
        if (b.x0 < left + 2 || b.x1 > right || b.y0 < top || b.y1 > bottom) return false;
        const auto clear = [&](const std::vector<box> &of) {
            return std::none_of(
                of.begin(), of.end(), [&](const box &o) { return b.overlap(o) > 0; });
        };
        if (!clear(obstacles_) || (!over_lines && !clear(lines_))) return false;
        return std::none_of(
            leaders_.begin(), leaders_.end(), [&](const box &leader) { return passes(leader, b); });
    }

    /// Whether the line from (x0, y0) to (x1, y1) of `leader` enters the box.
    static bool passes(const box &leader, const box &b) {
        constexpr int samples = 40;
        for (int i = 0; i <= samples; ++i) {
            const double t = double(i) / samples;
            const double x = leader.x0 + t * (leader.x1 - leader.x0),
                         y = leader.y0 + t * (leader.y1 - leader.y0);
            if (x > b.x0 && x < b.x1 && y > b.y0 && y < b.y1) return true;
        }
        return false;
    }

    bool leader_crosses(double x, double y, const box &b) const {
        const box leader {x, y, near(x, b.x0, b.x1), near(y, b.y0, b.y1)};
        return std::any_of(labels_.begin(), labels_.end(),
            [&](const box &label) { return passes(leader, label); });
    }

    std::vector<box> obstacles_, lines_, labels_, leaders_;
};

void draw_label(canvas &c, double x, double y, const box &b, const std::string &words) {
    const double near_x = std::clamp(x, b.x0, b.x1), near_y = std::clamp(y, b.y0, b.y1);
    if (std::hypot(near_x - x, near_y - y) > 14) c.line(x, y, near_x, near_y, axis_color, .7);
    c.text((b.x0 + b.x1) / 2, b.y1 - 3, "middle", words, "l");
}

std::string label_of(const scatter_point &p, const plane &area, int decimals) {
    return area.beyond(p.y.value) ? fmt::format("{} ({:.{}f})", p.name, p.y.value, decimals)
                                  : p.name;
}

/// Those on the frontier choose their places first.
void draw_labels(canvas &c, const plane &area, const std::vector<scatter_point> &points,
    const std::vector<box> &stair, int decimals) {
    label_placer placer;
    for (const box &p : stair)
        placer.avoid_if_possible(
            {p.x0 - 1, std::min(p.y0, p.y1) - 1, p.x1 + 1, std::max(p.y0, p.y1) + 1});
    for (const scatter_point &p : points) {
        const double x = area.x(p.x), y = area.y(p.y.value);
        placer.avoid({x - 6, y - 6, x + 6, y + 6});
        placer.avoid_if_possible({x - 2, area.y(p.y.high), x + 2, area.y(p.y.low)});
    }
    for (bool frontier : {true, false})
        for (const scatter_point &p : points) {
            const double x = area.x(p.x), y = area.y(p.y.value);
            const std::string words = label_of(p, area, decimals);
            box found {};
            if (p.frontier == frontier && placer.place(x, y, words, found))
                draw_label(c, x, y, found, words);
        }
}

} // namespace

std::string scatter_plot(const std::string &title, const std::vector<scatter_point> &all,
    bool upwards, double worst, int decimals, const std::string &below,
    const std::string &left_text) {
    std::vector<scatter_point> points;
    for (const scatter_point &p : all)
        if (std::isfinite(p.x) && std::isfinite(p.y.value) && std::isfinite(p.y.low) &&
            std::isfinite(p.y.high))
            points.push_back(p);
    canvas c(title, width, height);
    if (points.empty()) return {};
    const plane area = plane_of(points, upwards, worst);
    draw_axes(c, area, decimals);
    const std::vector<box> stair = frontier_pieces(area, points);
    draw_frontier(c, stair);
    std::string description = title + ":";
    for (const scatter_point &p : points) {
        const std::string values = fmt::format(" {} {:.{}f} at {}{};", p.name, p.y.value, decimals,
            short_number(p.x), p.frontier ? ", on the frontier" : "");
        description += values;
        const double x = area.x(p.x);
        if (p.y.low < p.y.high) c.line(x, area.y(p.y.low), x, area.y(p.y.high), p.color, 2, .4);
        c.circle(x, area.y(p.y.value), p.frontier ? 5.5 : 4, p.color, values);
    }
    draw_labels(c, area, points, stair, decimals);
    c.text((left + right) / 2, bottom + 38, "middle", below, "a");
    c.upward_text(14, (top + bottom) / 2 + text_width(left_text) / 2, left_text, "a");
    c.describe(description);
    return c.finish();
}

} // namespace reporting
