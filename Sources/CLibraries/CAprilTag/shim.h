#pragma once
// CMarkers includes its headers: a family of tags is made of pointers that Swift should not hold.
