extension Array where Element: Comparable {
  /// Returns the element that sorting would put at an index; partially orders the array.
  ///
  /// Hoare's selection: linear time, unlike sorting. None may be NaN.
  ///
  /// - Parameter rank: One of the array's indices.
  @inlinable
  package mutating func select(_ rank: Int) -> Element {
    var (low, high) = (startIndex, endIndex - 1)
    while low < high {
      // The median of three avoids quadratic time for sorted arrays.
      let middle = low + (high - low) / 2
      if self[middle] < self[low] { swapAt(middle, low) }
      if self[high] < self[low] { swapAt(high, low) }
      if self[high] < self[middle] { swapAt(high, middle) }
      let pivot = self[middle]
      // Elements less than, equal to and greater than the pivot.
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

extension Collection where Element: Comparable {
  /// The element that sorting would put at an index.
  ///
  /// None may be NaN.
  ///
  /// - Parameter rank: At least 0 and less than the number of elements.
  @inlinable
  package func element(ofRank rank: Int) -> Element {
    var values = Array(self)
    return values.select(rank)
  }

  /// The median, the upper one of an even number of elements; nil without elements.
  ///
  /// None may be NaN.
  @inlinable
  package func median() -> Element? {
    isEmpty ? nil : element(ofRank: count / 2)
  }
}

extension Collection where Element: BinaryFloatingPoint {
  /// The median, the mean of the middle two of an even number of elements; nil without elements.
  ///
  /// None may be NaN.
  @inlinable
  package func interpolatedMedian() -> Element? {
    var values = Array(self)
    guard !values.isEmpty else { return nil }
    let high = values.select(values.count / 2)
    let low = values.count % 2 == 1 ? high : values[..<(values.count / 2)].max() ?? high
    return (low + high) / 2
  }
}
