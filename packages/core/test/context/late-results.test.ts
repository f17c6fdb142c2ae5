import type { Message } from "@jaf/memory";
import { isReplayable } from "@jaf/memory/history";
import { describe, expect, it } from "vitest";
import type { SummarizeInput } from "../../src/memory-config.ts";
import { converse, storing, talk } from "../support/conversations.ts";
import { assistant, calling, result, user } from "../support/setup.ts";

function watching() {
  const inputs: (readonly Message[])[] = [];
  const summarize = async ({ messages }: SummarizeInput) => {
    inputs.push(messages);
    return `summary ${inputs.length}`;
  };
  return { inputs, memory: { compressionThreshold: 8, summary: { summarize } } };
}

const opening = [user("start it"), calling(["job", "tool"]), user("go on"), assistant("It runs.")];
const late = [calling(["job", "tool"]), result("job", "It is done.")];

describe("a result that comes after its call was summarised", () => {
  it("is sent with the call after the summary, and is in the manifest", async () => {
    const provider = await storing([...opening, ...talk(6)]);
    const { inputs, memory } = watching();
    await converse({ provider, memory, said: ["x"] });
    await provider.appendMessages("c", [result("job", "It is done.")]);
    const { views, contexts } = await converse({ provider, memory, said: ["y"] });
    expect(inputs.flat()).not.toContainEqual(result("job", "It is done."));
    expect(views[0]?.[0]?.content).toContain("summary 1");
    expect(views[0]?.slice(1, 3)).toEqual(late);
    expect(isReplayable(views[0] ?? [])).toBe(true);
    const fates = (position: number) =>
      contexts[0]?.ranges.find(({ from, to }) => from <= position && position <= to);
    expect(fates(1)).toMatchObject({ fate: "sent" });
    expect(fates(2)).toMatchObject({ fate: "summarized" });
    expect(fates(18)).toMatchObject({ fate: "repaired" });
  });

  it("is part of the next summary, once, when it is old", async () => {
    const provider = await storing([...opening, ...talk(6)]);
    const { inputs, memory } = watching();
    await converse({ provider, memory, said: ["x"] });
    await provider.appendMessages("c", [result("job", "It is done."), ...talk(6, 10)]);
    const next = await converse({ provider, memory, said: ["y"] });
    expect(inputs[1]?.slice(0, 2)).toEqual(late);
    expect(next.views[0]?.slice(1)).not.toContainEqual(late[1]);
    await provider.appendMessages("c", talk(6, 20));
    await converse({ provider, memory, said: ["z"] });
    expect(inputs.flat().filter(({ role }) => role === "tool")).toHaveLength(1);
  });

  it("isn't part of a summary of earlier messages, even if the call is old", async () => {
    const provider = await storing([...opening, ...talk(6), result("job", "It is done.")]);
    const { inputs, memory } = watching();
    const { views } = await converse({ provider, memory, said: ["x"] });
    expect(inputs[0]).toContainEqual(user("start it"));
    expect(inputs[0]).not.toContainEqual(late[0]);
    expect(views[0]?.slice(1, 3)).toEqual(late);
  });

  it("is left out by a window like older messages", async () => {
    const provider = await storing([...opening, ...talk(6)]);
    const { memory } = watching();
    await converse({ provider, memory, said: ["x"] });
    await provider.appendMessages("c", [result("job", "It is done.")]);
    const { views, contexts } = await converse({
      provider,
      memory: { ...memory, window: { maxMessages: 4 } },
      said: ["y"],
    });
    expect(views[0]?.at(-1)).toEqual(user("y"));
    expect(views[0]).not.toContainEqual(late[1]);
    expect(contexts[0]?.ranges[1]).toEqual({ from: 1, to: 1, fate: "trimmed", reason: "older" });
  });
});
