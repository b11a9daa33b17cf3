// SPDX-License-Identifier: Apache-2.0
#include "dnnl/dnnl_ext.hpp"
