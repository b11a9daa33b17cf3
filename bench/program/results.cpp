// SPDX-License-Identifier: Apache-2.0
#include "results.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace bench {
namespace {

using json = nlohmann::ordered_json;

constexpr std::size_t shown_worst = 15;

std::ofstream opened(const std::string &file) {
    std::ofstream to(file);
    if (!to) throw std::runtime_error("cannot write " + file);
    return to;
}

/// Geometric, of the numbers above 0; 0 without any.
class geometric_mean {
  public:
    void add(double x) {
        if (!(x > 0)) return;
        sum_ += std::log(x);
        ++count_;
    }
    double value() const { return count_ ? std::exp(sum_ / static_cast<double>(count_)) : 0; }

  private:
    double sum_ = 0;
    std::size_t count_ = 0;
};

std::string speed_text(const case_result &c) {
    char text[64];
    if (c.operations > 0)
        std::snprintf(text, sizeof text, "%8.1f GMAC/s", c.gmacs());
    else
        std::snprintf(text, sizeof text, "%8.1f GB/s  ", c.gigabytes_per_second());
    return text;
}

json times_of(const library_times &t) {
    if (!t.fault.empty()) return {{"fault", t.fault}};
    return {{"implementation", t.implementation}, {"run_us", t.run_us},
        {"first_creation_us", t.first_creation_us}, {"creation_us", t.creation_us}};
}

} // namespace

std::vector<family_result> families_of(const measurements &m) {
    std::vector<std::string> names;
    for (const case_result &c : m.cases)
        if (std::find(names.begin(), names.end(), c.family) == names.end())
            names.push_back(c.family);
    std::vector<family_result> families;
    for (const std::string &name : names) {
        family_result f {name};
        geometric_mean ratios, creations;
        for (const case_result &c : m.cases) {
            if (c.family != name) continue;
            ++f.cases;
            if (!c.is_compared()) continue;
            f.least_ratio = f.compared++ ? std::min(f.least_ratio, c.ratio()) : c.ratio();
            ratios.add(c.ratio());
            creations.add(c.theirs.creation_us / c.ours.creation_us);
        }
        f.mean_ratio = ratios.value();
        f.mean_creation_ratio = creations.value();
        families.push_back(f);
    }
    return families;
}

std::vector<const case_result *> worst_of(const measurements &m, std::size_t count) {
    std::vector<const case_result *> all;
    for (const case_result &c : m.cases)
        if (c.is_compared()) all.push_back(&c);
    std::stable_sort(all.begin(), all.end(),
        [](const case_result *a, const case_result *b) { return a->ratio() < b->ratio(); });
    all.resize(std::min(all.size(), count));
    return all;
}

void print_case(std::FILE *to, const case_result &c) {
    if (!c.ours.is_measured()) {
        std::fprintf(to, "%s: %s\n", c.line.c_str(), c.ours.fault.c_str());
        return;
    }
    std::fprintf(to, "%10.2f us %s", c.ours.run_us, speed_text(c).c_str());
    if (c.peak_share > 0) std::fprintf(to, " %3.0f %%", 100 * c.peak_share);
    if (c.is_compared())
        std::fprintf(to, "  ratio %5.2f%s", c.ratio(), c.repeated ? " again" : "");
    else if (!c.theirs.fault.empty())
        std::fprintf(to, "  other library: %s", c.theirs.fault.c_str());
    std::fprintf(to, "  %-16s %s\n", c.ours.implementation.c_str(), c.line.c_str());
}

void print_summary(std::FILE *to, const measurements &m) {
    for (const measured_peak &p : m.peaks)
        std::fprintf(to, "%-24s %8.1f %s\n", p.name.c_str(), p.value, p.unit.c_str());
    const bool compares = !m.their_version.empty();
    if (!compares) return;
    std::fprintf(to, "\ntime(%s) / time(ours)\n%-52s %5s %9s %7s %9s\n", m.their_version.c_str(),
        "family", "cases", "geo. mean", "least", "creation");
    for (const family_result &f : families_of(m))
        std::fprintf(to, "%-52s %5zu %9.3f %7.3f %9.1f\n", f.name.c_str(), f.compared, f.mean_ratio,
            f.least_ratio, f.mean_creation_ratio);
    std::fprintf(to, "\nthe worst\n");
    for (const case_result *c : worst_of(m, shown_worst)) print_case(to, *c);
}

void write_tsv(const measurements &m, const std::string &file) {
    std::ofstream to = opened(file);
    to << "family\tname\tline\timplementation\trun_us\tfirst_creation_us\tcreation_us\tgmacs\t"
          "gigabytes_per_second\tpeak_share\tother_implementation\tother_run_us\t"
          "other_first_creation_us\tother_creation_us\tratio\trepeated\n";
    for (const case_result &c : m.cases) {
        to << c.family << '\t' << c.name << '\t' << c.line << '\t';
        if (c.ours.is_measured())
            to << c.ours.implementation << '\t' << c.ours.run_us << '\t' << c.ours.first_creation_us
               << '\t' << c.ours.creation_us << '\t' << c.gmacs() << '\t'
               << c.gigabytes_per_second() << '\t' << c.peak_share << '\t';
        else
            to << c.ours.fault << "\t\t\t\t\t\t\t";
        if (c.is_compared())
            to << c.theirs.implementation << '\t' << c.theirs.run_us << '\t'
               << c.theirs.first_creation_us << '\t' << c.theirs.creation_us << '\t' << c.ratio();
        else
            to << c.theirs.fault << "\t\t\t\t";
        to << '\t' << c.repeated << '\n';
    }
}

void write_json(const measurements &m, const std::string &file) {
    json peaks = json::object(), families = json::array(), cases = json::array();
    for (const measured_peak &p : m.peaks) peaks[p.name] = {{"value", p.value}, {"unit", p.unit}};
    for (const family_result &f : families_of(m))
        families.push_back({{"name", f.name}, {"cases", f.cases}, {"compared", f.compared},
            {"mean_ratio", f.mean_ratio}, {"least_ratio", f.least_ratio},
            {"mean_creation_ratio", f.mean_creation_ratio}});
    for (const case_result &c : m.cases) {
        json one {{"family", c.family}, {"name", c.name}, {"line", c.line},
            {"operations", c.operations}, {"bytes", c.bytes}, {"ours", times_of(c.ours)}};
        if (c.peak_share > 0) one["peak_share"] = c.peak_share;
        if (!m.their_version.empty()) one["theirs"] = times_of(c.theirs);
        if (c.is_compared()) one["ratio"] = c.ratio();
        if (c.repeated) one["repeated"] = c.repeated;
        cases.push_back(one);
    }
    opened(file) << json {{"version", m.our_version}, {"file", m.our_file},
                        {"against", m.their_version}, {"against_file", m.their_file},
                        {"machine", m.machine}, {"date", m.date}, {"threads", m.threads},
                        {"cold", m.cold}, {"peaks", peaks}, {"families", families},
                        {"cases", cases}}
                        .dump(1)
                 << '\n';
}

} // namespace bench
