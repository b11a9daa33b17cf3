// SPDX-License-Identifier: Apache-2.0
// Texts of networks, files of weights, and folding of normalization.
#include "../networks/network_text.hpp"
#include "../networks/weights_file.hpp"
#include "../networks/zoo.hpp"

#include "checks.hpp"

#include <cmath>
#include <fstream>
#include <iterator>

#include <fmt/format.h>

#include <unistd.h>

using namespace int8_accuracy;

namespace {

namespace fs = std::filesystem;

object_shape shape_for(const std::string &name) {
    if (name == "characters") return {65, 1, 1, 64};
    if (name == "transformer") return {24, 1, 1, 32};
    return name == "digits" ? object_shape {1, 28, 28, 0} : object_shape {3, 32, 32, 0};
}

void known_networks_are_read_again(checks &check) {
    for (const zoo_entry &entry : known_networks()) {
        const network net = known_network(entry.name, shape_for(entry.name), 20);
        const network again = parse_network(text_of(net), entry.name);
        bool equal = net.layers.size() == again.layers.size() && net.positions == again.positions;
        for (std::size_t l = 0; equal && l < net.layers.size(); ++l) {
            const layer &a = net.layers[l], &b = again.layers[l];
            equal = a.kind == b.kind && a.name == b.name && a.from == b.from &&
                    a.result == b.result && a.kernel == b.kernel && a.stride == b.stride &&
                    a.padding == b.padding && a.groups == b.groups && a.heads == b.heads;
        }
        double weights = 0, products = 0;
        for (int l : net.products()) {
            weights += double(zero_parameters(net.layers[l]).weights.size());
            products += multiplications(net.layers[l]);
        }
        check.that(equal, fmt::format("{}: {} layers, {:.0f} weights, {:.0f} multiplications",
                              entry.name, net.layers.size(), weights, products));
    }
    check.refuses(
        [] {
            known_network("digits", {10, 1, 1, 8}, 2);
        },
        "reads images", "images for sequences");
}

void wrong_texts(checks &check) {
    const auto refused = [&](const std::string &text, const std::string &part) {
        check.refuses([&] { parse_network(text, "net.txt"); }, part, part);
    };
    const std::string head = "input 3 32 32\n";
    refused("", "net.txt:1: the network has no layers");
    refused("dense 3\n", "net.txt:1: the first layer, and only that, is the input");
    refused(head + "convolution 16\n", "net.txt:2: 'kernel' is missing");
    refused(head + "convolution 16 kernel x\n", "net.txt:2: kernel is a number, not 'x'");
    refused(
        head + "convolution 16 kernel 3 groups 5\n", "net.txt:2: 5 groups do not divide 3 and 16");
    refused(head + "# nothing\nfold 3\n", "net.txt:3: 'fold' is no kind of layer");
    refused(head + "maximum 40\n", "net.txt:2: the window is 40, it lies between 1 and 31");
    refused(head + "convolution 4 kernel 3 stride 31\nconvolution 4 kernel 9 padding 0\n",
        "net.txt:3: a kernel of 9 does not fit into an image of 4 x 2 x 2");
    refused(head + "lstm 4\n", "net.txt:2: lstm reads a sequence, 'input1' gives an image");
    refused(head + "average\naverage\n", "net.txt:3: average reads an image or a sequence");
    refused(head + "convolution 8 kernel 3 as a\nadd input1\n", "they cannot be added");
    refused(head + "relu\nnormalization\n", "net.txt:3: normalization reads a convolution");
    refused(head + "dense 2 as a\ndense 2 as a\n", "net.txt:3: line 2 has the name 'a', too");
    refused(head + "relu from b\n", "net.txt:2: no layer above is named 'b'");
    refused(head + "relu\ndense 3 from input1\n", "net.txt:2: no layer reads 'relu1'");
    refused(head + "dense 4 kernel 3\n", "net.txt:2: 'kernel' is not understood");
    refused(head + "dense 4\nrelu\n", "net.txt:3: the last layer is a dense one");
    refused("input tokens 9\n", "net.txt:1: 'length' is missing");
    refused("input tokens 9 length 8\ndense 6 as a\nattention a a a heads 4\ndense 2\n",
        "net.txt:3: 4 heads do not divide 6 channels");
    refused(head + "convolution 8 kernel 3 as a\nnormalization as b\nadd a\ndense 2\n",
        "net.txt:3: 'a' is read by another layer than its normalization");
}

/// The examples of the documentation lie beside the sources.
void examples_are_read(checks &check, const fs::path &folder) {
    for (const char *name : {"lenet", "bottleneck", "tagger"}) {
        const network net = read_network(folder / (std::string(name) + ".txt"));
        check.that(
            net.name == name && net.classes() > 9, fmt::format("{}: {} layers, {} products", name,
                                                       net.layers.size(), net.products().size()));
    }
    check.refuses([&] { read_network(folder / "none.txt"); }, "none.txt: cannot read",
        "a file that is not there");
}

std::string bytes_of(const fs::path &path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

void weights_are_kept(checks &check) {
    const fs::path path = fs::temp_directory_path() / fmt::format("weights.{}", getpid());
    const network net = parse_network("input 1 6 6\nconvolution 4 kernel 3 as c\nnormalization\n"
                                      "relu\ndense 3 as d\n",
        "net");
    const trained_network trained {net, random_parameters(net, 7), {.25f}, {.5f}};
    write_weights(trained, path);
    const trained_network again = read_weights(path, net);
    bool equal = again.mean == trained.mean && again.deviation == trained.deviation;
    for (std::size_t l = 0; l < net.layers.size(); ++l)
        equal = equal && again.learned[l].weights == trained.learned[l].weights &&
                again.learned[l].bias == trained.learned[l].bias &&
                again.learned[l].variance == trained.learned[l].variance;
    check.that(equal, "weights are read as they were written");
    const network other = parse_network("input 1 6 6\nconvolution 5 kernel 3 as c\nnormalization\n"
                                        "relu\ndense 3 as d\n",
        "net");
    check.refuses([&] { read_weights(path, other); }, "weights of another network: layer 2 is 'c'",
        "weights of another network");
    const std::string whole = bytes_of(path);
    bool all = true;
    for (std::size_t length = 0; length < whole.size(); length += 1 + length / 7) {
        std::ofstream(path, std::ios::binary) << whole.substr(0, length);
        try {
            read_weights(path, net);
            all = false;
        } catch (const std::runtime_error &) {}
    }
    check.that(all, "a file that ends early is refused at every length");
    std::string damaged = whole;
    damaged[whole.size() / 2] ^= 4;
    std::ofstream(path, std::ios::binary) << damaged;
    check.refuses([&] { read_weights(path, net); }, "damaged", "a bit is flipped");
    fs::remove(path);
    check.refuses([&] { read_weights(path, net); }, "cannot read", "no such file");
    check.refuses([&] { write_weights(trained, "/no/such/folder/w"); }, "cannot write",
        "a folder that is not there");
}

/// A 1x1 convolution of one pixel is a matrix product, which is easily followed by hand.
void normalization_is_folded(checks &check) {
    const network net =
        parse_network("input 2 1 1\nconvolution 3 kernel 1 as c\nnormalization as n\nrelu as r\n"
                      "dense 2 from r\n",
            "net");
    trained_network from {net, random_parameters(net, 3), {}, {}};
    layer_parameters &n = from.learned[2];
    n.mean = {1, -2, .5f};
    n.variance = {4, .25f, 1};
    n.weights = {2, -1, 3};
    n.bias = {.1f, .2f, .3f};
    const trained_network to = folded(from);
    bool close =
        to.net.layers.size() == 4 && to.net.layers[2].from[0] == 1 && to.net.layers[3].from[0] == 2;
    const float x[] = {.75f, -1.5f};
    for (int c = 0; c < 3; ++c) {
        const layer_parameters &p = from.learned[1], &q = to.learned[1];
        const double sum = p.weights[2 * c] * x[0] + p.weights[2 * c + 1] * x[1] + p.bias[c];
        const double expected =
            (sum - n.mean[c]) / std::sqrt(n.variance[c] + 1e-5) * n.weights[c] + n.bias[c];
        const double got = q.weights[2 * c] * x[0] + q.weights[2 * c + 1] * x[1] + q.bias[c];
        close = close && std::fabs(got - expected) < 1e-5;
    }
    check.that(close, "folded normalization computes the same");
}

} // namespace

int main(int argc, char **argv) {
    checks check;
    if (argc > 1) examples_are_read(check, argv[1]);
    known_networks_are_read_again(check);
    wrong_texts(check);
    weights_are_kept(check);
    normalization_is_folded(check);
    return check.status();
}
