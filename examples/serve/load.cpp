// SPDX-License-Identifier: Apache-2.0
// Workers, a queue, and arrivals.
#include "load.hpp"

#include "../random_source.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

namespace serve {
namespace {

using clock = std::chrono::steady_clock;

double seconds_between(clock::time_point from, clock::time_point to) {
    return std::chrono::duration<double>(to - from).count();
}

/// Makes an instance for each worker and lets body(instance) run on all of them at once. Each has
/// answered a batch before they begin.
template <class Body>
void on_instances(const served_network &of, const division &by, const Body &body) {
    std::vector<std::thread> workers;
    std::atomic<int> ready {0};
    for (int w = 0; w < by.instances; ++w)
        workers.emplace_back([&] {
            instance own(of, by);
            std::vector<int> classes(std::size_t(by.batch));
            own.answer(0, 1, classes.data());
            own.answer(0, by.batch, classes.data());
            for (++ready; ready < by.instances;) std::this_thread::yield();
            body(own);
        });
    for (std::thread &worker : workers) worker.join();
}

/// Arrivals that wait, oldest first.
class waiting_line {
  public:
    void add(clock::time_point arrival) {
        {
            const std::lock_guard lock(mutex_);
            arrivals_.push_back(arrival);
        }
        changed_.notify_one();
    }
    void close() {
        {
            const std::lock_guard lock(mutex_);
            closed_ = true;
        }
        changed_.notify_all();
    }
    /// Up to `most` of them; none once the line is closed and empty.
    std::vector<clock::time_point> take(int most) {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return closed_ || !arrivals_.empty(); });
        const auto count = std::min<std::size_t>(std::size_t(most), arrivals_.size());
        std::vector<clock::time_point> taken(arrivals_.begin(), arrivals_.begin() + long(count));
        arrivals_.erase(arrivals_.begin(), arrivals_.begin() + long(count));
        return taken;
    }

  private:
    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<clock::time_point> arrivals_;
    bool closed_ = false;
};

} // namespace

double throughput(const served_network &of, const division &by, double seconds) {
    std::atomic<long> answered {0};
    std::mutex mutex;
    clock::time_point first = clock::time_point::max(), last = clock::time_point::min();
    on_instances(of, by, [&](instance &own) {
        std::vector<int> classes(std::size_t(by.batch));
        const clock::time_point begin = clock::now();
        int next = 0;
        for (; seconds_between(begin, clock::now()) < seconds; next += by.batch)
            own.answer(next, by.batch, classes.data());
        answered += next;
        const std::lock_guard lock(mutex);
        first = std::min(first, begin);
        last = std::max(last, clock::now());
    });
    return double(answered) / seconds_between(first, last);
}

latencies under_load(
    const served_network &of, const division &by, double rate, double seconds, std::uint64_t seed) {
    waiting_line line;
    std::mutex mutex;
    std::vector<double> times; // s
    clock::time_point begin, last;
    std::atomic<int> started {0};
    std::thread arrivals([&] {
        while (started < by.instances) std::this_thread::yield();
        examples::random_source random(seed);
        begin = clock::now();
        for (double at = 0; at < seconds; at += -std::log(1 - random.unit()) / rate) {
            const auto when = begin + std::chrono::duration_cast<clock::duration>(
                                          std::chrono::duration<double>(at));
            std::this_thread::sleep_until(when);
            line.add(when); // when it should have come, also where this thread was late
        }
        line.close();
    });
    on_instances(of, by, [&](instance &own) {
        ++started;
        std::vector<int> classes(std::size_t(by.batch));
        std::vector<double> own_times;
        int next = 0;
        for (;;) {
            const auto taken = line.take(by.batch);
            if (taken.empty()) break;
            own.answer(next, int(taken.size()), classes.data());
            next += int(taken.size());
            const clock::time_point now = clock::now();
            for (const clock::time_point &arrival : taken)
                own_times.push_back(seconds_between(arrival, now));
        }
        const std::lock_guard lock(mutex);
        times.insert(times.end(), own_times.begin(), own_times.end());
        last = std::max(last, clock::now());
    });
    arrivals.join();
    if (times.empty()) return {};
    std::sort(times.begin(), times.end());
    const auto part = [&](double p) {
        const auto at = std::size_t(std::ceil(p * double(times.size()))) - 1;
        return 1e3 * times[std::min(at, times.size() - 1)];
    };
    return {part(.5), part(.95), part(.99), double(times.size()) / seconds_between(begin, last)};
}

std::vector<int> answers(const served_network &of, const division &by) {
    std::vector<int> all(std::size_t(of.image_count()));
    instance own(of, by);
    for (int first = 0; first < of.image_count(); first += by.batch)
        own.answer(first, std::min(by.batch, of.image_count() - first), all.data() + first);
    return all;
}

} // namespace serve
