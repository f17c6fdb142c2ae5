import { describe, expectTypeOf, it } from "vitest";
import type { TraceEvent } from "../../src/index.ts";
import { createPartialOutput, type DeepPartial, partialOutput } from "../../src/partial-output/index.ts";

interface Report {
  readonly title: string;
  readonly state: "draft" | "done";
  readonly pages: number | null;
  readonly isPublic?: boolean;
  readonly chapters: { readonly title: string; readonly tags: string[] }[];
  readonly span: [from: number, to: number];
  readonly notes: Readonly<Record<string, string>>;
  readonly extra: unknown;
}

interface ReportSoFar {
  readonly title?: string;
  readonly state?: string;
  readonly pages?: number | null;
  readonly isPublic?: boolean;
  readonly chapters?: readonly { readonly title?: string; readonly tags?: readonly string[] }[];
  readonly span?: readonly [number?, number?];
  readonly notes?: Readonly<Partial<Record<string, string>>>;
  readonly extra?: unknown;
}

describe("a partial output", () => {
  it("has each field of the output, or not yet", () => {
    expectTypeOf<DeepPartial<Report>>().toEqualTypeOf<ReportSoFar>();
    expectTypeOf(partialOutput<Report>("")).toEqualTypeOf<ReportSoFar | undefined>();
    expectTypeOf<DeepPartial<string[]>>().toEqualTypeOf<readonly string[]>();
    expectTypeOf<DeepPartial<{ type: "a"; a: 1 } | { type: "b"; b: "x" }>>().toEqualTypeOf<
      { readonly type?: string; readonly a?: 1 } | { readonly type?: string; readonly b?: string }
    >();
    expectTypeOf<DeepPartial<unknown>>().toBeUnknown();
  });

  it("is the output itself once it is complete", () => {
    const changed = createPartialOutput<Report>().take({} as TraceEvent);
    if (changed?.isComplete === true) expectTypeOf(changed.output).toEqualTypeOf<Report>();
    if (changed?.isComplete === false) expectTypeOf(changed.output).toEqualTypeOf<ReportSoFar | undefined>();
  });
});
