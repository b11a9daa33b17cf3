// SPDX-License-Identifier: Apache-2.0
// A static object executes a primitive in its destructor, after the thread_local objects of the
// main thread are gone: the result is right and no block of the heap that the program owns changes.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>
#include <vector>

#include "oneapi/dnnl/dnnl.hpp"

using namespace dnnl;

namespace {

constexpr memory::dim M = 96, N = 64, K = 256;

void fail(const char *what) {
    std::puts(what);
    std::fflush(stdout);
    _exit(1);
}

class product {
  public:
    product() {
        primitive_attr attr;
        attr.set_scratchpad_mode(scratchpad_mode::user);
        const matmul::primitive_desc users(eng_, a_.get_desc(), b_.get_desc(), c_.get_desc(), attr);
        scratch_bytes_ = users.scratchpad_desc().get_size();
        for (memory *m : {&a_, &b_})
            for (memory::dim i = 0; i < memory::dim(m->get_desc().get_size() / 4); ++i)
                static_cast<float *>(m->get_data_handle())[i] = 1;
    }
    ~product() {
        // Whatever the library freed when the thread's objects died is the program's from here on.
        constexpr unsigned char mark = 0x5A;
        std::vector<unsigned char *> blocks;
        for (std::size_t bytes = 4096; bytes <= scratch_bytes_; bytes += 4096)
            blocks.push_back(static_cast<unsigned char *>(std::aligned_alloc(64, bytes)));
        std::size_t bytes = 4096;
        for (unsigned char *block : blocks) std::memset(block, mark, bytes), bytes += 4096;
        run();
        bytes = 4096;
        for (unsigned char *block : blocks) {
            for (std::size_t i = 0; i < bytes; ++i)
                if (block[i] != mark) fail("the execution wrote to memory of the program");
            std::free(block);
            bytes += 4096;
        }
        std::puts("executed in a static destructor");
    }
    std::size_t scratch_bytes() const { return scratch_bytes_; }
    void run() {
        stream s(eng_);
        std::memset(c_.get_data_handle(), 0, c_.get_desc().get_size());
        multiply_.execute(s, {{DNNL_ARG_SRC, a_}, {DNNL_ARG_WEIGHTS, b_}, {DNNL_ARG_DST, c_}});
        s.wait();
        const float *values = static_cast<const float *>(c_.get_data_handle());
        for (memory::dim i = 0; i < M * N; ++i)
            if (values[i] != float(K)) fail("the product is wrong");
    }

  private:
    static memory::desc matrix(memory::dim rows, memory::dim columns) {
        return {{rows, columns}, memory::data_type::f32, memory::format_tag::ab};
    }
    engine eng_ {engine::kind::cpu, 0};
    memory a_ {matrix(M, K), eng_}, b_ {matrix(K, N), eng_}, c_ {matrix(M, N), eng_};
    matmul multiply_ {matmul::primitive_desc(eng_, a_.get_desc(), b_.get_desc(), c_.get_desc())};
    std::size_t scratch_bytes_ = 0;
};

product &the_product() {
    static product made;
    return made;
}

} // namespace

int main() {
    the_product().run();
    if (the_product().scratch_bytes() < 8192) fail("the product takes no scratchpad");
}
