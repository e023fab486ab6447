extension Array where Element: Comparable {
  /// The element that would stand at a place if the array were sorted; orders the array partly.
  ///
  /// Hoare's selection: linear time, where sorting takes longer the more there is.
  ///
  /// - Parameter rank: The place, one of the array's indices.
  mutating func select(_ rank: Int) -> Element {
    var (low, high) = (startIndex, endIndex - 1)
    while low < high {
      // The median of three keeps what is sorted already from costing quadratic time.
      let middle = low + (high - low) / 2
      if self[middle] < self[low] { swapAt(middle, low) }
      if self[high] < self[low] { swapAt(high, low) }
      if self[high] < self[middle] { swapAt(high, middle) }
      let pivot = self[middle]
      // What is less than the pivot, what equals it and what is greater.
      var (less, next, greater) = (low, low, high)
      while next <= greater {
        if self[next] < pivot {
          swapAt(less, next)
          less += 1
          next += 1
        } else if pivot < self[next] {
          swapAt(greater, next)
          greater -= 1
        } else {
          next += 1
        }
      }
      if rank < less {
        high = less - 1
      } else if rank > greater {
        low = greater + 1
      } else {
        return pivot
      }
    }
    return self[rank]
  }
}
