import type { Message, RichMessage } from "@jaf/memory";
import { messageText } from "@jaf/memory/history";
import { describe, expect, it } from "vitest";
import { transcriptOf } from "../../src/context/summarizer.ts";
import { converse, storing, talk } from "../support/conversations.ts";
import { assistant, calling, result, user } from "../support/setup.ts";

const BUDGET = 100_000;
const linesOf = (text: string) => text.split("\n");

describe("the input of a summary", () => {
  it("is limited for a single turn, too, with any size of tool results", async () => {
    const rounds = Array.from({ length: 100 }, (_, at) => [
      calling([`c${at}`, "tool"]),
      result(`c${at}`, `${at}: ${"word ".repeat(1_500)}`),
    ]).flat();
    const { model, contexts } = await converse({
      provider: await storing([user("q"), ...rounds, assistant("ok"), ...talk(5)]),
      memory: { compressionThreshold: 8 },
      steps: ["Summary.", "Done."],
    });
    const text = messageText(model.requests[0]?.state.messages[0] as Message);
    expect(text.length).toBeLessThan(1.6 * BUDGET);
    for (const at of [0, 50, 99]) expect(text).toContain(`"text":"${at}: word`);
    expect(contexts[0]?.compaction?.outcome).toBe("stored");
  });

  it("cuts all long texts to one length, so short ones stay whole", () => {
    const messages = [user("x".repeat(5_000)), user("short"), user("y".repeat(5_000))];
    const lines = linesOf(transcriptOf(messages, 2_005)).map((line) => JSON.parse(line).text as string);
    expect(lines[1]).toBe("short");
    for (const [line, sign] of [[lines[0], "x"] as const, [lines[2], "y"] as const])
      expect(line).toBe(`${sign.repeat(500)} […4000 characters left out…] ${sign.repeat(500)}`);
  });

  it.each([
    ["very many messages", talk(20_000)],
    ["texts that JSON makes longer", Array.from({ length: 100 }, () => user("\u0001".repeat(6_000)))],
    ["long ids and names", Array.from({ length: 50 }, () => calling(["i".repeat(9_999), "n".repeat(9_999)]))],
    ["very many calls", [calling(...Array.from({ length: 20_000 }, (_, at) => [`c${at}`, "tool"] as const))]],
  ])("is bounded for %s", (_, messages) => {
    expect(transcriptOf(messages, BUDGET).length).toBeLessThan(1.6 * BUDGET);
  });

  it("has the first and last of very many messages, and the number left out", () => {
    const lines = linesOf(transcriptOf(talk(20_000), BUDGET));
    const left = Number(
      /^\[…(\d+) messages left out…\]$/.exec(lines.find((line) => line.startsWith("[")) ?? "")?.[1],
    );
    expect(left + lines.length - 1).toBe(40_000);
    expect(lines[0]).toContain("question 0");
    expect(lines.at(-1)).toContain("answer 19999");
  });

  it("names media and the provider's tools, has calls of both kinds, and leaves out reasoning", () => {
    const messages: readonly RichMessage[] = [
      { role: "developer", content: "be brief" },
      {
        role: "user",
        content: [
          { type: "text", text: "what is this?" },
          { type: "media", mediaType: "image/png", data: new Uint8Array(1_000) },
          { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } },
        ],
      },
      {
        role: "assistant",
        reasoning_content: "secret",
        content: [
          { type: "reasoning", text: "secret", signature: "secret" },
          { type: "provider-tool-call", id: "p", name: "web_search", input: { q: "x" } },
          { type: "provider-tool-result", id: "p", output: "much" },
          { type: "text", text: "a cat" },
          { type: "tool-call", id: "a" },
        ],
        tool_calls: [{ id: "a", type: "custom", custom: { name: "run", input: "cat x" } }],
      },
      { role: "tool", tool_call_id: "a", content: [{ type: "media", mediaType: "audio/wav", fileId: "f" }] },
      { role: "assistant", content: null, refusal: "I can't." },
      { role: "user", content: "then", attachments: [{ kind: "image" }] },
    ];
    expect(
      linesOf(transcriptOf(messages as readonly Message[], BUDGET)).map((line) => JSON.parse(line)),
    ).toEqual([
      { role: "developer", text: "be brief" },
      { role: "user", text: "what is this?\n[image/png]\n[image_url]" },
      {
        role: "assistant",
        text: "[web_search]\na cat",
        calls: [{ id: "a", name: "run", arguments: "cat x" }],
      },
      { role: "tool", answers: "a", text: "[audio/wav]" },
      { role: "assistant", text: "I can't." },
      { role: "user", text: "then\n[attachment]" },
    ]);
  });

  it("is complete if there is room", () => {
    expect(linesOf(transcriptOf(talk(2), BUDGET))).toHaveLength(4);
    expect(transcriptOf([], BUDGET)).toBe("");
  });
});
