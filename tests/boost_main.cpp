// SPDX-License-Identifier: Apache-2.0
// main() of the programs of Boost.Test (boost.cmake). Not by BOOST_TEST_MODULE: where the header
// comes precompiled it has been read before this line.
#include <boost/test/unit_test.hpp>

int main(int argc, char **argv) {
    return boost::unit_test::unit_test_main([] { return true; }, argc, argv);
}
