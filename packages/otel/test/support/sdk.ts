import { context } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from "@opentelemetry/sdk-metrics";
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-base";
import { afterAll, beforeAll } from "vitest";
import { createTelemetry, type TelemetryOptions } from "../../src/index.ts";

/** Has contexts follow promises in the tests of a file. */
export function withAsyncContext(): void {
  beforeAll(() => void context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable()));
  // Files share the global context manager.
  afterAll(() => context.disable());
}

/** Telemetry whose spans and metrics stay in memory. */
export function testTelemetry({ content = false }: Pick<TelemetryOptions, "content"> = {}) {
  const exporter = new InMemorySpanExporter();
  const tracer = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }).getTracer(
    "test",
  );
  const metricExporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const reader = new PeriodicExportingMetricReader({
    exporter: metricExporter,
    exportIntervalMillis: 2 ** 31 - 1,
  });
  const meterProvider = new MeterProvider({ readers: [reader] });
  return {
    telemetry: createTelemetry({ tracer, meter: meterProvider.getMeter("test"), content }),
    tracer,
    /** The ended spans, in the order of their beginnings. */
    spans: (): readonly ReadableSpan[] => exporter.getFinishedSpans().toSorted((a, b) => idsOrder(a, b)),
    /** Each metric's data points, as `[attributes, value]`. The value of a histogram is `{ count, sum }`. */
    points: async (): Promise<ReadonlyMap<string, readonly (readonly [object, unknown])[]>> => {
      await reader.forceFlush();
      const last = metricExporter.getMetrics().at(-1);
      const all = last?.scopeMetrics.flatMap(({ metrics }) => metrics) ?? [];
      await meterProvider.shutdown();
      return new Map(
        all.map(({ descriptor, dataPoints }) => [
          descriptor.name,
          dataPoints.map(({ attributes, value }) => [attributes, shown(value)] as const),
        ]),
      );
    },
    /** All that was exported, as one text. */
    exported: (): string =>
      JSON.stringify(
        exporter.getFinishedSpans().map(({ name, attributes, events, status, links }) => ({
          ...{ name, attributes, events, status, links },
        })),
      ),
  };
}

const shown = (value: unknown): unknown =>
  typeof value === "object" && value !== null && "count" in value && "sum" in value
    ? { count: value.count, sum: value.sum }
    : value;

const idsOrder = (a: ReadableSpan, b: ReadableSpan): number =>
  a.startTime[0] - b.startTime[0] || a.startTime[1] - b.startTime[1];

interface Tree {
  readonly [name: string]: readonly Tree[] | undefined;
}

/** Returns the names of spans as a tree, in the order of `spans`. */
export function treeOf(spans: readonly ReadableSpan[]): readonly (string | Tree)[] {
  const ids = new Set(spans.map((span) => span.spanContext().spanId));
  const below = (parent: string | undefined): readonly (string | Tree)[] =>
    spans
      .filter(({ parentSpanContext }) => {
        const id = parentSpanContext?.spanId;
        return parent === undefined ? id === undefined || !ids.has(id) : id === parent;
      })
      .map((span) => {
        const children = below(span.spanContext().spanId);
        return children.length === 0 ? span.name : ({ [span.name]: children } as Tree);
      });
  return below(undefined);
}

/** Returns the only span with this name. */
export function spanNamed(spans: readonly ReadableSpan[], name: string): ReadableSpan {
  const [span, ...others] = spans.filter((each) => each.name === name);
  if (span === undefined || others.length > 0)
    throw new Error(`${others.length + (span ? 1 : 0)} spans have the name ${name}`);
  return span;
}
