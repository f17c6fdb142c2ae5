import { describe, expect, it } from "vitest";
import { checkContents } from "../../../test/fakes/gemini-rules.ts";
import type { JsonObject } from "../../../test/fakes/service.ts";
import { mcp } from "../../../test/recordings/google/mcp.ts";
import { streamedArguments } from "../../../test/recordings/google/streamed-arguments.ts";
import { asking, configOf, rich, runBy, says, WAYS } from "../../../test/models/run.ts";
import { createGoogleProvider } from "../src/index.ts";

describe.each([...mcp, ...streamedArguments])("$feature: $special", (recording) => {
  it.each(WAYS)("is kept and goes back, %s", async (way) => {
    const bodies: JsonObject[] = [];
    const fetch: typeof globalThis.fetch = async (_, init) => {
      const body: JsonObject = JSON.parse(String(init?.body));
      checkContents(body, { owner: recording.model, opaque: { isGenuine: () => true } });
      const { whole, events } = recording.replies[Math.min(bodies.length, recording.replies.length - 1)] ?? {};
      bodies.push(body);
      if (way === "whole") return Response.json(whole);
      return new Response((events ?? []).map((event) => `data: ${JSON.stringify(event)}\n\n`).join(""), {
        headers: { "content-type": "text/event-stream" },
      });
    };
    const first = recording.replies[0];
    if (way === "whole" ? first?.whole === undefined : first?.events === undefined) return;
    const provider = createGoogleProvider({ apiKey: "k", model: recording.model, fetch });
    const { config, events } = configOf(provider, recording.agent);
    const result = await runBy(way, says("Go"), config);
    if (recording.error !== undefined) {
      expect(result.outcome).toMatchObject({ status: "error", error: recording.error });
      return;
    }
    expect(result.outcome).toEqual({ status: "completed", output: recording.output });
    if (recording.asked !== undefined) expect(bodies[0]).toMatchObject(recording.asked);
    if (recording.kept !== undefined) expect(rich(result)[1]?.content).toMatchObject(recording.kept);
    if (bodies.length === 1) await runBy(way, asking([...rich(result), { role: "user", content: "And?" }]), config);
    if (recording.askedAgain !== undefined)
      expect((bodies[1]?.["contents"] as JsonObject[])[1]).toEqual({ role: "model", parts: recording.askedAgain });
    if (recording.usage !== undefined)
      expect(events.find(({ type }) => type === "llm_call_end")).toMatchObject({ data: { usage: recording.usage } });
  });
});
