import { describe, expect, it } from "vitest";
import { createChannel } from "../../src/run/run-stream.ts";

const read = <T>(
  channel: ReturnType<typeof createChannel<T>>,
  onLeave = async () => {},
): AsyncIterable<T> => ({
  [Symbol.asyncIterator]: () => channel.read(onLeave),
});

describe("a channel", () => {
  it("yields values pushed before and during reading, in order", async () => {
    const channel = createChannel<number>();
    channel.push(1);
    channel.push(2);
    const seen: number[] = [];
    for await (const value of read(channel)) {
      seen.push(value);
      if (value === 2) setImmediate(() => channel.push(3));
      if (value === 3) {
        channel.push(4);
        channel.end();
      }
    }
    expect(seen).toEqual([1, 2, 3, 4]);
  });

  it("throws its failure after the earlier values", async () => {
    const channel = createChannel<number>();
    channel.push(1);
    channel.fail(new Error("broken"));
    const seen: number[] = [];
    const reading = (async () => {
      for await (const value of read(channel)) seen.push(value);
    })();
    await expect(reading).rejects.toThrow("broken");
    expect(seen).toEqual([1]);
  });

  it("reports that its reader left, but only before the end", async () => {
    let left = 0;
    const leave = async () => {
      left += 1;
    };
    const open = createChannel<number>();
    open.push(1);
    for await (const _ of read(open, leave)) break;
    expect(left).toBe(1);
    const ended = createChannel<number>();
    ended.push(1);
    ended.end();
    for await (const _ of read(ended, leave)) break;
    expect(left).toBe(1);
  });

  it("reports it once if the reader leaves before it began", async () => {
    let left = 0;
    const reader = createChannel<number>().read(async () => {
      left += 1;
    });
    expect(await reader.return()).toEqual({ done: true, value: undefined });
    await reader.return();
    expect(left).toBe(1);
    expect(await reader.next()).toEqual({ done: true, value: undefined });
  });

  it("lets a waiting reader leave", async () => {
    const reader = createChannel<number>().read(async () => {});
    const waiting = reader.next();
    await reader.return();
    expect(await waiting).toEqual({ done: true, value: undefined });
  });

  it("gives each of several waiting readers a value of its own", async () => {
    const channel = createChannel<number>();
    const reader = channel.read(async () => {});
    const waiting = [reader.next(), reader.next(), reader.next()];
    channel.push(1);
    channel.push(2);
    channel.end();
    expect((await Promise.all(waiting)).map(({ value }) => value)).toEqual([1, 2, undefined]);
  });
});
