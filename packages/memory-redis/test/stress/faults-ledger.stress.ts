import { createInMemoryProvider, type MemoryProvider } from "@jaf/memory";
import { describe, expect, it } from "vitest";
import { createBatch } from "../../../../test/faults/batch.ts";
import { createLedger } from "../../../../test/faults/ledger.ts";

type Append = MemoryProvider["appendMessages"];

/** Returns the ledger's findings about a store with manipulated appends. */
async function problemsWith(tamper: (append: Append, batch: number) => Append): Promise<readonly string[]> {
  const store = await createInMemoryProvider();
  const ledger = createLedger();
  for (let number = 0; number < 8; number++) {
    const appendMessages = tamper(store.appendMessages, number);
    await ledger.append({ ...store, appendMessages }, createBatch(0, number));
  }
  return ledger.problems(store);
}

const first =
  (tampered: (append: Append) => Append) =>
  (append: Append, batch: number): Append =>
    batch === 0 ? tampered(append) : append;

const done = { success: true, data: undefined } as const;

describe("the ledger of the fault tests", () => {
  it("finds no problem with a correct store", async () => {
    expect(await problemsWith((append) => append)).toEqual([]);
  });

  it("detects a lost acknowledged batch", async () => {
    const problems = await problemsWith(first(() => async () => done));
    expect(problems).toContain("shared-0: 0:0 was acknowledged and is lost");
  });

  it("detects a batch that is stored twice", async () => {
    const problems = await problemsWith(
      first((append) => async (...call) => {
        await append(...call);
        return append(...call);
      }),
    );
    expect(problems).toContain("shared-0: 0:0 (acknowledged) is there 2 times");
  });

  it("detects a partly stored batch", async () => {
    const problems = await problemsWith(
      first(
        (append) =>
          (id, messages, ...rest) =>
            append(id, messages.slice(0, 1), ...rest),
      ),
    );
    expect(problems).toContain("shared-0: message 1 (0:1) is out of place");
  });

  it("detects batches in the wrong order", async () => {
    const late: (() => Promise<unknown>)[] = [];
    const problems = await problemsWith((append, batch) => async (...call) => {
      if (batch === 0) late.push(() => append(...call));
      else await append(...call);
      if (batch === 1) for (const send of late) await send();
      return done;
    });
    expect(problems).toContain("shared-0: 0:0 stands behind 0:1");
  });

  it("detects conversations without the given owner and trace", async () => {
    const unowned = { createIfMissing: "unowned" } as const;
    const problems = await problemsWith((append) => (id, messages) => append(id, messages, {}, unowned));
    expect(problems).toEqual(
      expect.arrayContaining([
        'find {"traceId":"trace-0"} doesn\'t find shared-0',
        "shared-0: belongs to undefined, not to user-0",
      ]),
    );
  });
});
