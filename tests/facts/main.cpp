// SPDX-License-Identifier: Apache-2.0
// Prints as JSON what the library answers about each primitive; scripts/primitive_pages.py makes
// the tables of doc/primitives of it.
#include <cstdio>

#include "questions.hpp"

int main() {
    using namespace facts;
    try {
        json all = json::array();
        for (const auto &family :
            {products(), recurrent(), normalizations(), windows(), elementwise()})
            for (const subject &s : family) {
                json names = json::array(), attributes = json::array();
                for (const tensor &t : s.tensors) names.push_back(t.name);
                for (const configuration &c : s.configurations)
                    attributes.push_back(attributes_taken(s, c));
                all.push_back({{"page", s.page}, {"direction", s.direction}, {"tensors", names},
                    {"types", types_taken(s)}, {"attributes", attributes},
                    {"layouts", layouts_taken(s, s.configurations.front())}});
            }
        std::printf("%s\n", all.dump(1).c_str());
        return 0;
    } catch (const std::exception &e) {
        std::fprintf(stderr, "%s\n", e.what());
    }
    return 1;
}
