package main

import (
	"math/bits"
	"time"
)

// Latencies in microseconds, in buckets that are at most 1/64 of their value wide. Small and free
// of allocation, so that measuring adds next to nothing to the CPU time that is measured.
const (
	subBuckets     = 64
	subBucketBits  = 6
	histogramSize  = subBuckets * (32 - subBucketBits + 1)
	maxMicrosecond = 1<<32 - 1
)

type histogram struct {
	counts [histogramSize]uint64
	total  uint64
	sum    uint64 // of microseconds, exact
}

func bucketOf(us uint64) int {
	if us < subBuckets {
		return int(us)
	}
	shift := bits.Len64(us) - subBucketBits - 1
	return (shift+1)*subBuckets + int(us>>uint(shift)) - subBuckets
}

// middleOf is the value that stands for all of a bucket.
func middleOf(bucket int) float64 {
	if bucket < subBuckets {
		return float64(bucket)
	}
	shift := uint(bucket/subBuckets - 1)
	low := uint64(bucket%subBuckets+subBuckets) << shift
	return float64(low) + float64(uint64(1)<<shift-1)/2
}

func (h *histogram) record(latency time.Duration) {
	us := uint64(0)
	if latency > 0 {
		us = uint64(latency / time.Microsecond)
	}
	if us > maxMicrosecond {
		us = maxMicrosecond
	}
	h.counts[bucketOf(us)]++
	h.total++
	h.sum += us
}

func (h *histogram) add(other *histogram) {
	for i, count := range other.counts {
		h.counts[i] += count
	}
	h.total += other.total
	h.sum += other.sum
}

func (h *histogram) meanUs() float64 {
	if h.total == 0 {
		return 0
	}
	return float64(h.sum) / float64(h.total)
}

// quantileUs returns the smallest value that at least the fraction q of all does not exceed.
func (h *histogram) quantileUs(q float64) float64 {
	rank := uint64(q*float64(h.total) + 0.5)
	if rank == 0 {
		rank = 1
	}
	seen := uint64(0)
	for bucket, count := range h.counts {
		seen += count
		if seen >= rank {
			return middleOf(bucket)
		}
	}
	return 0
}
