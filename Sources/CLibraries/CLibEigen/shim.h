// Eigen is C++ headers only; this module carries the path where they are.
#pragma once
