#pragma once
// Draco's headers are C++: CDraco includes them.
