// SPDX-License-Identifier: Apache-2.0
// Runs with no_threads.c in front of it: no thread can be created, and a product large enough for
// several threads must still come out right, on the calling thread.
#include <thread>

#include "objects.hpp"

using namespace api_tests;

BOOST_AUTO_TEST_CASE(work_for_many_threads_on_one) { // N-45
    BOOST_CHECK_THROW(std::thread([] {}).join(), std::system_error);
    check_matmul(256, 192, 128);
}
