import { afterAll, describe, expect, it, onTestFinished } from "vitest";
import { startFakeMessages } from "../../../../test/fakes/anthropic-answers.ts";
import { type ChatStep, type FakeChatOptions, startFakeChat } from "../../../../test/fakes/openai-chat.ts";
import { type Environment, runDemo } from "../support/demo-process.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const calls = (id: string, name: string, args: unknown): ChatStep => ({
  kind: "reply",
  message: { tool_calls: [{ id, type: "function", function: { name, arguments: JSON.stringify(args) } }] },
});

describe("the demo with a configured model", { timeout: 120_000 }, () => {
  const folder = temporaryFolder();
  afterAll(() => folder.remove());

  async function startFake(steps: readonly ChatStep[], options: Omit<FakeChatOptions, "steps"> = {}) {
    const fake = await startFakeChat({ steps, ...options });
    onTestFinished(fake.close);
    return fake;
  }

  const chat = (user: string, environment: Environment, ...lines: readonly string[]) =>
    runDemo(["chat", "--data", folder.data, "--user", user], {
      input: lines.map((line) => `${line}\n`).join(""),
      environment,
    });

  it("prints the chosen model, and uses it with tools and memory", async () => {
    const fake = await startFake(
      [
        calls("call_1", "notes", { action: "add", text: "buy milk" }),
        "I noted it, Ada.",
        "Your name is Ada.",
      ],
      { apiKey: "sk-test" },
    );
    const environment = { OPENAI_BASE_URL: fake.baseURL, OPENAI_API_KEY: "sk-test", JAF_MODEL: "gpt-test" };
    const first = await chat("ada", environment, "My name is Ada. Note: buy milk");
    expect(first).toMatchObject({ code: 0, err: "" });
    expect(first.out).toContain(
      `The model is gpt-test of ${new URL(fake.baseURL).host} (OPENAI_API_KEY, OPENAI_BASE_URL, JAF_MODEL).`,
    );
    expect(first.out).not.toContain("sk-test");
    expect(first.out).toMatch(/→ notes[\s\S]*agent: I noted it, Ada\./);
    const second = await chat("ada", environment, "What is my name?");
    expect(second.out).toContain("agent: Your name is Ada.");
    expect(fake.refusals).toEqual([]);
    expect(JSON.stringify(fake.requests.at(-1)?.messages)).toContain("My name is Ada. Note: buy milk");
  });

  it("uses Anthropic's with tools and memory, too", async () => {
    const use = {
      type: "tool_use",
      id: "toolu_1",
      name: "notes",
      input: { action: "add", text: "buy milk" },
    };
    const fake = await startFakeMessages({
      steps: [{ kind: "message", content: [use] }, "I noted it, Ada.", "Your name is Ada."],
      apiKey: "sk-ant-test",
    });
    onTestFinished(fake.close);
    const environment = { ANTHROPIC_BASE_URL: fake.baseURL, ANTHROPIC_API_KEY: "sk-ant-test" };
    const first = await chat("amy", environment, "My name is Ada. Note: buy milk");
    expect(first).toMatchObject({ code: 0, err: "" });
    expect(first.out).toMatch(/→ notes[\s\S]*agent: I noted it, Ada\./);
    expect(first.out).not.toContain("sk-ant-test");
    expect((await chat("amy", environment, "What is my name?")).out).toContain("agent: Your name is Ada.");
    expect(fake.refusals).toEqual([]);
    expect(JSON.stringify(fake.requests.at(-1)?.body)).toContain("My name is Ada. Note: buy milk");
  });

  it("prints errors and continues", async () => {
    const fake = await startFake(["Hello."], { apiKey: "sk-test" });
    const environment = { OPENAI_BASE_URL: fake.baseURL, OPENAI_API_KEY: "sk-wrong", JAF_MODEL: "gpt-test" };
    const { out, code } = await chat("bob", environment, "Hi");
    expect(code).toBe(1);
    expect(out).toMatch(/! .*401/);
    expect(out).not.toContain("sk-wrong");
  });

  it("stores conversations by JAF_MEMORY_TYPE, and prints where", async () => {
    const { out, code } = await chat("eve", { JAF_MEMORY_TYPE: "memory" }, "I like tea.", "/list");
    expect(code).toBe(0);
    expect(out).toContain("offline assistant");
    expect(out).toContain("For a real one set OPENAI_API_KEY");
    expect(out).toContain("Conversations are gone when you leave (JAF_MEMORY_TYPE)");
    expect((await chat("eve", {}, "/list")).out).not.toContain("I like tea.");
  });
});
