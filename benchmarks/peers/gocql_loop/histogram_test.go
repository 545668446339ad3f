package main

import (
	"math"
	"testing"
	"time"
)

func TestEveryValueIsWithinOnePercentOfItsBucket(t *testing.T) {
	for us := uint64(0); us < 1<<32; us = us*17/16 + 1 {
		bucket := bucketOf(us)
		if bucket >= histogramSize {
			t.Fatalf("%d us: bucket %d of %d", us, bucket, histogramSize)
		}
		if math.Abs(middleOf(bucket)-float64(us)) > float64(us)/100 {
			t.Errorf("%d us became %g us", us, middleOf(bucket))
		}
	}
}

func TestLongerThanTheRangeCountsAsTheLongest(t *testing.T) {
	var h histogram
	h.record(time.Duration(maxMicrosecond+1) * time.Microsecond)
	h.record(-time.Second)
	if h.counts[histogramSize-1] != 1 || h.counts[0] != 1 {
		t.Errorf("not in the last and the first bucket")
	}
}

func TestQuantilesAndMeanOfTwoWorkers(t *testing.T) {
	var odd, even histogram
	for us := 1; us <= 1000; us += 2 {
		odd.record(time.Duration(us) * time.Microsecond)
		even.record(time.Duration(us+1) * time.Microsecond)
	}
	odd.add(&even)
	for q, want := range map[float64]float64{0.5: 500, 0.99: 990, 1: 1000} {
		if got := odd.quantileUs(q); math.Abs(got-want) > want/100 {
			t.Errorf("quantile %g is %g, want %g", q, got, want)
		}
	}
	if odd.total != 1000 || odd.meanUs() != 500.5 {
		t.Errorf("total %d, mean %g", odd.total, odd.meanUs())
	}
}

func TestEmptyHistogramIsZero(t *testing.T) {
	var h histogram
	if h.meanUs() != 0 || h.quantileUs(0.99) != 0 {
		t.Errorf("mean %g, p99 %g", h.meanUs(), h.quantileUs(0.99))
	}
}
