import { describe, expect, it } from "vitest";
import { createCallRecord, reportCalls } from "../../src/testing/kit/calls.ts";

const openStore = () =>
  Object.freeze({
    size: 3,
    jobs: { lease: async (_count: number) => [] as readonly string[] },
    write: async (_id: string, _value?: unknown) => ({ success: true, data: 7 }),
    remove: (_id: string): boolean => false,
    refuse: async () => ({ success: false, error: { _tag: "MemoryConflictError", reason: "version" } }),
    fail: async () => {
      throw new RangeError("s3cret");
    },
  });

describe("the record of calls", () => {
  it("lists the last three calls of each method in order, with arguments and outcome", async () => {
    const record = createCallRecord();
    const store = record.of(openStore(), "other.");
    for (const id of ["a", "b", "c", "d"]) await store.write(id);
    expect(store.remove("d")).toBe(false);
    await store.refuse();
    await expect(store.fail()).rejects.toThrow("s3cret");
    expect(await store.jobs.lease(2)).toEqual([]);
    void store.write("e");
    expect(record.lines()).toEqual([
      "3. other.write('c'): 7",
      "4. other.write('d'): 7",
      "5. other.remove('d'): false",
      "6. other.refuse(): MemoryConflictError (version)",
      "7. other.fail(): threw RangeError",
      "8. other.jobs.lease(2): []",
      "9. other.write('e'): not settled",
    ]);
    expect(store.size).toBe(3);
  });

  it("is short for any arguments, and calls none of their functions", async () => {
    const record = createCallRecord();
    const hostile = {
      get content() {
        throw new Error("a getter was called");
      },
      text: "x".repeat(100_000),
      list: Array(1_000).fill("y"),
    };
    await record.of(openStore()).write("a", hostile);
    const [line = ""] = record.lines();
    expect(line.length).toBeLessThan(300);
    expect(line).toMatch(/^1\. write\('a', \{ content: \[Getter\], text: 'x+'\.\.\. /);
  });

  it("is part of the error of a broken rule", async () => {
    const told = reportCalls(async (recorded) => {
      expect(recorded(openStore()).remove("a"), "whether it was there").toBe(true);
    });
    await expect(told).rejects.toThrow(/^whether it was there: .*\n {2}after\n {2}1\. remove\('a'\): false$/);
  });
});
