// SPDX-License-Identifier: Apache-2.0
// usage: api.reload <libdnnl.so>
// 1,000 times: loads the library, computes on this thread and on another one, closes the library
// while the threads are alive. Nothing crashes and the process does not grow.
#include <atomic>
#include <cmath>
#include <cstdio>
#include <dlfcn.h>
#include <malloc.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include "oneapi/dnnl/dnnl.h"

namespace {

constexpr int cycles = 1000, settled = 100;
constexpr dnnl_dim_t n = dnnl_dim_t {1} << 17; // work for several threads, which then stay

template <class Function> Function *symbol(void *library, const char *name) {
    return reinterpret_cast<Function *>(dlsym(library, name));
}

/// tanh of -1 in place, by the functions of a library that was loaded.
bool computes(void *library) {
#define CALL(name) symbol<decltype(name)>(library, #name)
    std::vector<float> values(n, -1.f);
    dnnl_engine_t engine = nullptr;
    dnnl_stream_t stream = nullptr;
    dnnl_memory_desc_t md = nullptr;
    dnnl_primitive_desc_t pd = nullptr;
    dnnl_primitive_t primitive = nullptr;
    dnnl_memory_t memory = nullptr;
    bool good =
        CALL(dnnl_engine_create)(&engine, dnnl_cpu, 0) == dnnl_success &&
        CALL(dnnl_stream_create)(&stream, engine, dnnl_stream_default_flags) == dnnl_success &&
        CALL(dnnl_memory_desc_create_with_strides)(&md, 1, &n, dnnl_f32, nullptr) == dnnl_success &&
        CALL(dnnl_eltwise_forward_primitive_desc_create)(&pd, engine, dnnl_forward_inference,
            dnnl_eltwise_tanh, md, md, 0, 0, nullptr) == dnnl_success &&
        CALL(dnnl_primitive_create)(&primitive, pd) == dnnl_success &&
        CALL(dnnl_memory_create)(&memory, md, engine, values.data()) == dnnl_success;
    const dnnl_exec_arg_t args[] {{DNNL_ARG_SRC, memory}, {DNNL_ARG_DST, memory}};
    good = good && CALL(dnnl_primitive_execute)(primitive, stream, 2, args) == dnnl_success;
    for (const float value : values) good = good && std::fabs(value + 0.7615942f) < 1e-6f;
    CALL(dnnl_memory_destroy)(memory);
    CALL(dnnl_primitive_destroy)(primitive);
    CALL(dnnl_primitive_desc_destroy)(pd);
    CALL(dnnl_memory_desc_destroy)(md);
    CALL(dnnl_stream_destroy)(stream);
    CALL(dnnl_engine_destroy)(engine);
#undef CALL
    return good;
}

double resident_mb() {
    long pages = 0, resident = 0;
    std::FILE *file = std::fopen("/proc/self/statm", "r");
    if (!file || std::fscanf(file, "%ld %ld", &pages, &resident) != 2) return 0;
    std::fclose(file);
    return double(resident) * double(sysconf(_SC_PAGESIZE)) / (1 << 20);
}

/// What is allocated and not freed.
double heap_mb() {
    const auto heap = mallinfo2();
    return double(heap.uordblks + heap.hblkhd) / (1 << 20);
}

/// The second thread, and the threads that the runtime started, outlive the library's closing.
bool load_run_close(const char *path) {
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        std::printf("cannot load %s: %s\n", path, dlerror());
        return false;
    }
    std::atomic<bool> ran {false}, closed {false};
    bool right = true;
    std::thread other([&] {
        right = computes(library);
        ran = true;
        while (!closed) std::this_thread::yield();
    });
    const bool right_here = computes(library);
    while (!ran) std::this_thread::yield();
    dlclose(library);
    closed = true;
    other.join();
    return right && right_here;
}

} // namespace

int main(int argc, char **argv) {
    if (argc != 2) return 2;
    // One heap for all threads: how many the C library makes, and keeps, is a matter of chance.
    mallopt(M_ARENA_MAX, 1);
    double at_first = 0, heap_at_first = 0;
    for (int i = 0; i < cycles; ++i) {
        if (!load_run_close(argv[1])) {
            std::printf("cycle %d failed\n", i);
            return 1;
        }
        if (i == settled) at_first = resident_mb(), heap_at_first = heap_mb();
    }
    const double at_last = resident_mb(), heap_at_last = heap_mb();
    std::printf(
        "resident after %d cycles: %.1f MB, after %d: %.1f MB; on the heap %.2f and %.2f MB\n",
        settled, at_first, cycles, at_last, heap_at_first, heap_at_last);
    return at_last <= at_first + MOST_GROWTH_MB && heap_at_last <= heap_at_first + 0.25 ? 0 : 1;
}
