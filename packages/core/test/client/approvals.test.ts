import {
  ContinuationValidationError,
  type ConversationStore,
  createInMemoryProvider,
  type Message,
} from "@jaf/memory";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { type ApprovalRequest, approve, createTool, type PromptResult, reject } from "../../src/index.ts";
import { createScriptedModel, type ScriptedStep } from "../../src/testing/index.ts";
import { clientSetup, MapStore, type Session } from "../support/client.ts";

/** An agent that needs an approval to delete files, and gets the user's location from the client. */
function filesSetup(
  steps: readonly ScriptedStep<Session>[],
  store: ConversationStore | ReturnType<typeof createInMemoryProvider>,
  settings: { readonly approvalTtlMs?: number } = {},
) {
  const deleted: string[] = [];
  const deleteFile = createTool({
    name: "delete_file",
    description: "",
    parameters: z.object({ path: z.string() }),
    needsApproval: true,
    execute: ({ path }) => {
      deleted.push(path);
      return `deleted ${path}`;
    },
  });
  const locate = createTool({ name: "locate", description: "", parameters: z.object({}) });
  const model = createScriptedModel<Session>(steps);
  const { client } = clientSetup({
    model,
    agent: { tools: [deleteFile, locate], conversational: ({ userId }) => ({ user: userId }) },
    config: { store, ...settings },
  });
  return { client, deleted, model };
}

const deletes = (path: string) => ({ toolCalls: [{ name: "delete_file", arguments: { path } }] });
const locates = { text: "Where are you?", toolCalls: [{ name: "locate", id: "call_l" }] };

function approvalOf({ interruptions }: PromptResult<unknown>): ApprovalRequest {
  const [first] = interruptions;
  return first?.type === "approval" ? first : expect.fail("no approval is asked for");
}

/** The same conversations in a newly started process. */
function afterRestart(store: MapStore): MapStore {
  const found = new MapStore();
  for (const [id, row] of store.rows) found.rows.set(id, row);
  return found;
}

describe("an approval in a store of five methods", () => {
  it("is refused and requested again after a restart", async () => {
    const store = new MapStore();
    const here = filesSetup([deletes("/tmp/a")], store);
    const asked = await here.client.forUser("u").prompt("Delete a");
    const { conversationId = "" } = asked;
    const there = filesSetup(["It is gone."], afterRestart(store));
    const mine = there.client.forUser("u").continue(conversationId);

    const late = mine.prompt("", { approvals: [approve(approvalOf(asked))] });
    await expect(late).rejects.toMatchObject({ code: "forged-approval" });
    const again = await mine.prompt([]);
    const done = await mine.prompt("", { approvals: [approve(approvalOf(again))] });

    expect(done.text).toBe("It is gone.");
    expect([here.deleted, there.deleted]).toEqual([[], ["/tmp/a"]]);
  });
});

describe("an approval", () => {
  it("can be given in another process, which continues the conversation", async () => {
    const provider = createInMemoryProvider();
    const here = filesSetup([deletes("/tmp/a")], provider);
    const there = filesSetup(["It is gone."], provider);

    const asked = await here.client.forUser("u").prompt("Delete a");
    const approvals = [approve(approvalOf(asked))];
    const { conversationId = "" } = asked;
    const done = await there.client.forUser("u").continue(conversationId).prompt("", { approvals });

    expect(asked.outcome.status).toBe("interrupted");
    expect(here.deleted).toEqual([]);
    expect(there.deleted).toEqual(["/tmp/a"]);
    expect(done.text).toBe("It is gone.");
    expect(done.messages.map(({ role }) => role)).toEqual(["tool", "assistant"]);
  });

  it("counts once", async () => {
    const { client, deleted } = filesSetup([deletes("/tmp/a"), "Gone."], createInMemoryProvider());
    const asked = await client.forUser("u").prompt("Delete a");
    const again = client.forUser("u").continue(asked.conversationId ?? "");
    const approvals = [approve(approvalOf(asked))];
    await again.prompt("", { approvals });

    const error = await again.prompt("", { approvals }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ContinuationValidationError);
    expect(error).toMatchObject({ code: "forged-approval", index: 0 });
    expect(deleted).toEqual(["/tmp/a"]);
  });

  it("is refused as forged in another conversation", async () => {
    const { client, deleted } = filesSetup([deletes("/tmp/a"), deletes("/tmp/a")], createInMemoryProvider());
    const one = await client.forUser("u").prompt("Delete a");
    const other = await client.forUser("u").prompt("Delete a");

    const crossed = client
      .forUser("u")
      .continue(other.conversationId ?? "")
      .prompt("", { approvals: [approve(approvalOf(one))] });

    await expect(crossed).rejects.toMatchObject({ code: "forged-approval" });
    expect(deleted).toEqual([]);
  });

  it("doesn't expire with a lifetime of Infinity", async () => {
    const { client, deleted } = filesSetup([deletes("/tmp/a"), "Gone."], createInMemoryProvider(), {
      approvalTtlMs: Number.POSITIVE_INFINITY,
    });
    const asked = await client.forUser("u").prompt("Delete a");
    expect(approvalOf(asked).expiresAt).toBeUndefined();
    const approvals = [approve(approvalOf(asked))];
    const again = client.forUser("u").continue(asked.conversationId ?? "");
    const done = await again.prompt("", { approvals });
    expect(done.text).toBe("Gone.");
    expect(deleted).toEqual(["/tmp/a"]);
  });

  it("is an outcome if it is too late, and can be requested again", async () => {
    const store = createInMemoryProvider();
    const { client } = clientSetup({
      model: [deletes("/tmp/a")],
      agent: {
        tools: [
          createTool({
            name: "delete_file",
            description: "",
            parameters: z.object({ path: z.string() }),
            needsApproval: true,
            execute: () => "",
          }),
        ],
      },
      config: { store, approvalTtlMs: 0 },
    });
    const asked = await client.forUser("u").prompt("Delete a");

    const { outcome } = await client
      .continue(asked.conversationId ?? "")
      .prompt("", { approvals: [approve(approvalOf(asked))] });

    expect(outcome).toMatchObject({ error: { _tag: "ContinuationRejected", code: "expired-approval" } });
  });

  it("can be rejected in an automatic thread, and the model gets the reason", async () => {
    const heard: ScriptedStep<Session> = ({ state }) => state.messages.at(-1)?.content ?? "";
    const { client, deleted } = filesSetup([deletes("/tmp/a"), heard], createInMemoryProvider());
    const context = { userId: "u" };
    const asked = await client.prompt("Delete a", { context });

    const { text } = await client.prompt("", {
      context,
      approvals: [reject(approvalOf(asked), "too precious")],
    });

    expect(text).toContain("too precious");
    expect(deleted).toEqual([]);
  });

  it("of a stateless run is bound to the run", async () => {
    const { client, deleted } = filesSetup([deletes("/tmp/a"), "Gone."], createInMemoryProvider());
    const asked = await client.prompt("Delete a");
    const { messages, runId } = asked.finalState;

    const { text } = await client.prompt("", { messages, runId, approvals: [approve(approvalOf(asked))] });

    expect(text).toBe("Gone.");
    expect(deleted).toEqual(["/tmp/a"]);
  });

  it("is given up after a new user message", async () => {
    const { client } = filesSetup(
      [{ ...deletes("/tmp/a"), text: "May I?" }, "Hello."],
      createInMemoryProvider(),
    );
    const asked = await client.forUser("u").prompt("Delete a");

    const { messages, text } = await client
      .forUser("u")
      .continue(asked.conversationId ?? "")
      .prompt("Never mind. Hi!");

    expect(asked.text).toBe("May I?");
    expect(text).toBe("Hello.");
    expect(messages).toEqual([
      { role: "user", content: "Never mind. Hi!" },
      { role: "assistant", content: "Hello." },
    ]);
  });
});

/** A browser that renders the messages, runs its tool and sends everything back as JSON. */
function browserAnswers({ finalState }: PromptResult<unknown>, content: string): readonly Message[] {
  const copy = JSON.parse(JSON.stringify(finalState.messages)) as readonly Message[];
  return [...copy, { role: "tool", tool_call_id: "call_l", content }];
}

describe.each([
  ["a provider", () => createInMemoryProvider()],
  ["a store of five methods", () => new MapStore()],
])("a tool of the client, over %s", (_name, createStore) => {
  it("answers through the messages that the browser sends back", async () => {
    const { client, model } = filesSetup([locates, "You are in Pune."], createStore());
    const context = { userId: "u" };
    const asked = await client.prompt("Where am I?", { context });

    const done = await client.prompt("", { context, messages: browserAnswers(asked, "Pune") });

    model.assertDone();
    expect(asked.interruptions).toMatchObject([
      { type: "client_tool", toolName: "locate", toolCallId: "call_l" },
    ]);
    expect(done.text).toBe("You are in Pune.");
    expect(done.messages).toEqual([
      { role: "tool", tool_call_id: "call_l", content: "Pune" },
      { role: "assistant", content: "You are in Pune." },
    ]);
    expect(done.finalState.messages).toHaveLength(4);
  });

  it("answers once", async () => {
    const { client } = filesSetup([locates, "You are in Pune."], createStore());
    const context = { userId: "u" };
    const messages = browserAnswers(await client.prompt("Where am I?", { context }), "Pune");
    await client.prompt("", { context, messages });

    await expect(client.prompt("", { context, messages })).rejects.toThrow(ContinuationValidationError);
  });

  it("can't be answered in another user's conversation", async () => {
    const { client } = filesSetup([locates], createStore());
    const asked = await client.prompt("Where am I?", { context: { userId: "u" } });

    const forged = client.prompt("", {
      context: { userId: "mallory" },
      messages: browserAnswers(asked, "Pune"),
    });

    await expect(forged).rejects.toThrow(ContinuationValidationError);
  });

  it("answers by toolResults as well", async () => {
    const { client } = filesSetup([locates, "You are in Pune."], createStore());
    const context = { userId: "u" };
    await client.prompt("Where am I?", { context });

    const done = await client.prompt("", {
      context,
      toolResults: [{ toolCallId: "call_l", result: { status: "success", data: "Pune" } }],
    });

    expect(done.text).toBe("You are in Pune.");
    expect(done.messages[0]).toMatchObject({ role: "tool", content: '{"status":"success","data":"Pune"}' });
  });
});
