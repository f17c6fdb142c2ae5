import { afterEach, expect, it, onTestFinished, vi } from "vitest";
import { runDocumentProgram } from "../../test/document-program.ts";
import { type ChatAnswer, startFakeChat } from "../../test/fakes/openai-chat.ts";

afterEach(() => vi.unstubAllEnvs());

// The ids of calls repeat, as those of some services do.
const calling = (name: string, args: string): ChatAnswer => ({
  kind: "reply",
  message: { tool_calls: [{ id: "call_1", type: "function", function: { name, arguments: args } }] },
});

it("the program of the page on agents as tools asks, waits for an approval, and goes on", async () => {
  const fake = await startFakeChat({
    steps: [
      calling("rail", '{"task":"Night train to Rome"}'),
      calling("book", '{"train":"NJ 40491"}'),
      "It is booked.",
      "You go by NJ 40491.",
    ],
    apiKey: "sk-test",
  });
  onTestFinished(fake.close);
  vi.stubEnv("OPENAI_API_KEY", "sk-test");
  vi.stubEnv("OPENAI_BASE_URL", fake.baseURL);
  const lines = (await runDocumentProgram("docs/agents-as-tools.md")).map((line) => line.join(" "));
  expect(fake.refusals).toEqual([]);
  expect(lines[0]).toBe("  run_start");
  expect(lines.slice(-2)).toEqual(['rail asks: book {"train":"NJ 40491"}', "You go by NJ 40491."]);
  expect(fake.requests.map(({ messages }) => messages.length)).toEqual([2, 2, 4, 4]);
});
