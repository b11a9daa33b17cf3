// SPDX-License-Identifier: Apache-2.0
#include "cpu/gemm/gemm.hpp"

namespace dnnl::impl::cpu {

namespace {

/// The item of products that are cut into so many parts. Items higher than a register tile have
/// whole tiles; lower ones have any number of rows.
work_item item_of_parts(const shared_work &w, dim_t row_parts, dim_t column_parts) {
    dim_t rows = div_up(w.M, row_parts);
    rows = round_up(rows, rows >= 8 * w.mr ? w.mr : w.row_unit);
    return {std::max(rows, w.row_unit),
        std::max(round_up(div_up(w.N, column_parts), w.panel_columns), w.panel_columns)};
}

/// The work of the thread with most items. An item of r rows and c columns costs (r + 2) * (c + 2):
/// bringing in a panel and listing rows take as long as 2 rows or columns more.
double largest_share(const shared_work &w, const work_item &item, int threads) {
    constexpr dim_t overhead = 2;
    const dim_t items = w.products * div_up(w.M, item.rows) * div_up(w.N, item.columns);
    const dim_t rows = std::min(item.rows, w.M), columns = std::min(item.columns, w.N);
    return double(div_up(items, threads)) * double(rows + overhead) * double(columns + overhead);
}

} // namespace

/// Tries all numbers of column parts up to the number of panels, each with the numbers of row parts
/// that make the items a small multiple of the threads. Chooses the cut whose largest share is
/// smallest; of equal ones that with the largest items.
work_item choose_item(const shared_work &w, int threads) {
    const dim_t fewest_rows = std::max<dim_t>(div_up(w.M, w.most_rows), 1);
    const dim_t fewest_columns = std::max<dim_t>(div_up(w.N, w.most_columns), 1);
    work_item best = item_of_parts(w, fewest_rows, fewest_columns);
    if (threads == 1 || w.products * w.M * w.N == 0) return best;
    double least = largest_share(w, best, threads);
    // Beyond some hundreds of parts no number of them shares the work better than the fewest.
    const dim_t most_columns = std::min({div_up(w.N, w.panel_columns),
        2 * std::max<dim_t>(threads, fewest_columns), fewest_columns + dim_t {2} * threads + 256});
    for (dim_t n = fewest_columns; n <= most_columns; ++n)
        for (dim_t rounds = 1; rounds <= 8; ++rounds) {
            const dim_t of_one = rounds * threads / (w.products * n);
            const dim_t m = std::max(std::min(of_one, div_up(w.M, w.row_unit)), fewest_rows);
            const work_item item = item_of_parts(w, m, n);
            const double share = largest_share(w, item, threads);
            if (share >= 0.99 * least) continue;
            least = share;
            best = item;
        }
    return best;
}

} // namespace dnnl::impl::cpu
