// SPDX-License-Identifier: Apache-2.0
// Everything that a run found out: what the tables, the JSON file and the page are made from.
#pragma once

#include "../../calibration/quantization.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace int8_accuracy {

/// How good a network is: percent of right answers, or bits per character.
enum class score_kind { accuracy, bits_per_character };

struct score {
    double value = 0;
    double low = 0, high = 0; // the ends of its 95 % interval
};

/// What one way of storing numbers gives.
struct method_result {
    std::string name;
    std::string group;      // the table that it stands in: "formats", "methods", "fixed point"
    bool simulated = false; // rounded to the format and computed in f32
    bool tuned = false;     // after fine-tuning
    score found;
    double p_value = 1;        // of the paired test against f32: as different by chance
    double agreement = 1;      // part of the answers that equal those of f32
    std::vector<double> noise; // dB for each product: signal to quantisation noise of its result
    std::vector<double> weight_bytes,
        moved_bytes;     // for each product; moved: source, weights, result
    double speed = 0;    // objects per second at the processor's own level, 0: not measured
    std::string refusal; // the library's reason if it does not run it
    std::vector<std::string> implementations; // of each product
};

/// What one layer costs: the score when it alone is quantised, and when all but it are.
struct sensitivity {
    std::string layer;
    score alone, all_but;
};

/// The fastest assignment of formats to layers whose loss is allowed.
struct mixed_assignment {
    double allowed_loss = 0;          // points, or hundredths of a bit per character
    std::vector<std::string> formats; // of each product
    score found;
    double weight_bytes = 0, speed = 0;
};

struct method_speed {
    std::string name;
    std::vector<double> per_second; // objects, or characters, for each of the batches
    std::string refusal;
};

/// Speeds under one cap on the instruction set.
struct level_speed {
    std::string level;        // a value of ONEDNN_MAX_CPU_ISA
    bool on_this_cpu = false; // the CPU has the whole level, so it was measured
    std::string failure;      // why there is nothing, although the CPU has the level
    std::string checksum;     // over the results of static int8
    std::vector<method_speed> methods;
};

struct training_curve {
    std::string name;               // "f32", "bf16 with f32 masters"
    std::vector<double> losses;     // nats, a value per epoch
    std::vector<double> accuracies; // percent
    double seconds = 0;
    score found; // on held-out data
};

struct product_facts {
    std::string name;
    double multiplications = 0; // of one object
    double weights = 0;         // how many
    double spread = 1; // largest |weight| of the widest output channel over the median one's
    calibration::histogram source; // what it reads, over the calibration data
};

struct network_report {
    std::string name, text; // the network as --network reads it
    score_kind kind = score_kind::accuracy;
    std::string origin; // of the data
    int training_count = 0, held_out_count = 0, calibration_count = 0;
    std::string weights_from; // a file, or empty: trained in this run
    std::vector<training_curve> training;
    std::vector<product_facts> products;
    std::vector<method_result> methods; // the first is f32
    std::vector<sensitivity> layers;    // of static int8
    std::vector<mixed_assignment> mixed;
    std::vector<int> batches; // of the speeds
    std::vector<level_speed> levels;
    bool exact =
        true; // no exp or tanh in f32, so that results of int8 have the same bits everywhere
    std::vector<std::string> remarks; // sentences about what was seen
    double evaluation_seconds = 0, speed_seconds = 0;
};

struct report {
    std::string cpu, library;
    int threads = 0;
    std::uint64_t seed = 0;
    std::vector<network_report> networks;
};

} // namespace int8_accuracy
