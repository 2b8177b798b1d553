import { buildGoProgram } from "./go_program.ts";

/** The module of Prometheus, at the version that is compared with. */
export const PROMETHEUS = "github.com/prometheus/prometheus@v0.315.0";

const PROGRAM = `package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"sort"
	"strconv"
	"time"

	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/textparse"
)

// Prints the median time in ms to read a page; with a third argument also the labels of each
// sample, which Prometheus makes only for series that it has not seen before.
func main() {
	page, err := os.ReadFile(os.Args[1])
	if err != nil {
		panic(err)
	}
	rounds, _ := strconv.Atoi(os.Args[2])
	withLabels := len(os.Args) > 3
	symbols := labels.NewSymbolTable()
	times := make([]float64, 0, rounds)
	for round := 0; round < rounds; round++ {
		start := time.Now()
		parser := textparse.NewPromParser(page, symbols, false)
		for {
			entry, err := parser.Next()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				panic(err)
			}
			if entry == textparse.EntrySeries {
				parser.Series()
				if withLabels {
					var metric labels.Labels
					parser.Labels(&metric)
				}
			}
		}
		times = append(times, float64(time.Since(start).Nanoseconds())/1e6)
	}
	sort.Float64s(times)
	fmt.Println(times[len(times)/2])
}
`;

/**
 * Builds a program that reads a page with Prometheus' own parser.
 * @param folder where it is built
 * @returns the program's path
 */
export function buildTextparse(folder: string): Promise<string> {
  return buildGoProgram(folder, "textparse", PROGRAM, [PROMETHEUS]);
}
