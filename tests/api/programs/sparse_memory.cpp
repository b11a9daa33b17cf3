// SPDX-License-Identifier: Apache-2.0
// A sparse matrix in compressed rows and as a list of coordinates: memories of three buffers,
// filled through map_data() and through the caller's vectors, and read back into a dense matrix.
#include <cstdint>

#include "oneapi/dnnl/dnnl.hpp"

#include "check.hpp"

using namespace dnnl;
using dt = memory::data_type;

namespace {

const memory::dim ROWS = 6, COLUMNS = 9;

// Every fourth element but the last row's, which is empty.
std::vector<double> dense_matrix() {
    std::vector<double> dense(ROWS * COLUMNS);
    for (memory::dim i = 0; i < (ROWS - 1) * COLUMNS; i += 4)
        dense[i] = 0.5 * static_cast<double>(i + 1);
    return dense;
}

} // namespace

int main() {
    const std::vector<double> dense = dense_matrix();
    std::vector<float> kept;
    std::vector<int32_t> row_of, column_of, pointers(1, 0);
    for (memory::dim r = 0; r < ROWS; ++r) {
        for (memory::dim c = 0; c < COLUMNS; ++c) {
            if (dense[r * COLUMNS + c] == 0) continue;
            kept.push_back(static_cast<float>(dense[r * COLUMNS + c]));
            row_of.push_back(static_cast<int32_t>(r));
            column_of.push_back(static_cast<int32_t>(c));
        }
        pointers.push_back(static_cast<int32_t>(kept.size()));
    }
    const memory::dim nnz = static_cast<memory::dim>(kept.size());

    engine eng(engine::kind::cpu, 0);
    const auto csr = memory::desc::csr({ROWS, COLUMNS}, dt::f32, nnz, dt::s32, dt::s32);
    bool good = csr.get_format_kind() == memory::format_kind::sparse && csr.get_nnz() == nnz &&
                csr.get_sparse_encoding() == memory::sparse_encoding::csr &&
                csr.get_num_handles() == 3 && csr.get_data_type() == dt::f32 &&
                csr.get_data_type(2) == dt::s32 && csr.get_size(2) == sizeof(int32_t) * (ROWS + 1);
    memory rows_mem(csr, eng); // the library allocates every buffer
    float *stored = rows_mem.map_data<float>(0);
    int32_t *columns = rows_mem.map_data<int32_t>(1), *starts = rows_mem.map_data<int32_t>(2);
    for (memory::dim i = 0; i < nnz; ++i) stored[i] = kept[i], columns[i] = column_of[i];
    for (memory::dim r = 0; r <= ROWS; ++r) starts[r] = pointers[r];
    rows_mem.unmap_data(stored, 0);
    rows_mem.unmap_data(columns, 1);
    rows_mem.unmap_data(starts, 2);

    std::vector<float> from_rows(dense.size()), from_list(dense.size());
    const float *v = static_cast<const float *>(rows_mem.get_data_handle());
    const int32_t *c = static_cast<const int32_t *>(rows_mem.get_data_handle(1));
    const int32_t *p = static_cast<const int32_t *>(rows_mem.get_data_handle(2));
    for (memory::dim r = 0; r < ROWS; ++r)
        for (int32_t i = p[r]; i < p[r + 1]; ++i) from_rows[r * COLUMNS + c[i]] = v[i];
    good &= agree("by rows", from_rows, dense, 0);

    const auto coo = memory::desc::coo({ROWS, COLUMNS}, dt::f32, nnz, dt::s32);
    good &= coo.get_sparse_encoding() == memory::sparse_encoding::coo && coo != csr;
    memory list_mem(coo, eng, {kept.data(), row_of.data(), DNNL_MEMORY_NONE});
    list_mem.set_data_handle(column_of.data(), 2);
    const float *w = list_mem.map_data<float>();
    const int32_t *at[] = {list_mem.map_data<int32_t>(1), list_mem.map_data<int32_t>(2)};
    for (memory::dim i = 0; i < nnz; ++i) from_list[at[0][i] * COLUMNS + at[1][i]] = w[i];
    good &= agree("by coordinates", from_list, dense, 0);

    const auto packed = memory::desc::packed({ROWS, COLUMNS}, dt::s8, nnz);
    good &= packed.get_sparse_encoding() == memory::sparse_encoding::packed;
    return good ? 0 : 1;
}
