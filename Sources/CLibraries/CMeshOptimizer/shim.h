#pragma once
#include <meshoptimizer.h>
