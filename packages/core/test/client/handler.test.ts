import { ContinuationValidationError, type Message } from "@jaf/memory";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import {
  type AgentClient,
  approve,
  ConversationOwnershipError,
  createTool,
  type Interruption,
  type PromptOptions,
} from "../../src/index.ts";
import type { ScriptedStep } from "../../src/testing/index.ts";
import { clientSetup, type Session } from "../support/client.ts";
import { user } from "../support/setup.ts";

type Body = Pick<PromptOptions<unknown>, "messages" | "approvals">;

/** The handler of the documentation. */
function handlerOf(client: AgentClient<string, Session>) {
  return async ({ messages, approvals }: Body, conversationId: string): Promise<Reply> => {
    try {
      const { finalState, interruptions, outcome } = await client
        .forUser("u")
        .continue(conversationId)
        .prompt("", { messages, approvals });
      if (outcome.status === "error") return { status: 500, body: outcome.error._tag };
      return { status: 200, body: { messages: finalState.messages, interruptions } };
    } catch (error) {
      if (error instanceof ConversationOwnershipError) return { status: 404 };
      if (error instanceof ContinuationValidationError) return { status: 409, body: error.code };
      throw error;
    }
  };
}

interface Reply {
  readonly status: number;
  readonly body?: unknown;
}

interface Taken {
  readonly messages: readonly Message[];
  readonly interruptions: readonly Interruption[];
}

const asTaken = ({ status, body }: Reply): Taken =>
  status === 200 ? (body as Taken) : expect.fail(`it was refused with ${status}`);

const deleteFile = createTool({
  name: "delete_file",
  description: "",
  parameters: z.object({}),
  needsApproval: true,
  execute: () => "deleted",
});
const look = createTool({ name: "look", description: "", parameters: z.object({}), execute: () => "seen" });

const broken = () => {
  throw new Error("the model is down");
};

async function begun(
  steps: readonly ScriptedStep<Session>[],
  durability: "completed" | "turn" | "step" = "completed",
) {
  const { client, store } = clientSetup({
    model: ["Hello.", ...steps],
    agent: { tools: [deleteFile, look] },
    config: { memory: { durability }, modelRetry: { maxAttempts: 1 } },
  });
  const { conversationId = "", finalState } = await client.forUser("u").prompt("Hi");
  const handle = handlerOf(client);
  return { id: conversationId, copy: finalState.messages, handle, provider: store.provider };
}

describe("the handler of the documentation", () => {
  it("returns messages that can be sent back with a new user message", async () => {
    const { id, copy, handle } = await begun(["One.", "Two."]);

    const first = asTaken(await handle({ messages: [...copy, user("1")] }, id));
    const second = asTaken(await handle({ messages: [...first.messages, user("2")] }, id));

    expect(second.messages).toHaveLength(6);
  });

  it("returns messages that can be sent back while calls wait", async () => {
    const { id, copy, handle } = await begun([
      { toolCalls: [{ name: "delete_file" }, { name: "look" }] },
      "It is gone.",
    ]);

    const { messages, interruptions } = asTaken(await handle({ messages: [...copy, user("Delete it")] }, id));
    const [waiting] = interruptions;
    if (waiting?.type !== "approval") expect.fail("no approval is asked for");
    const done = asTaken(await handle({ messages, approvals: [approve(waiting)] }, id));

    expect(done.messages.at(-1)?.content).toBe("It is gone.");
  });

  it.each(["completed", "turn", "step"] as const)(
    "gives out no messages of a failed run, and takes the client's own again, with durability %s",
    async (durability) => {
      const { id, copy, handle } = await begun([broken, "Here I am."], durability);
      const mine = [...copy, user("1")];

      const failed = await handle({ messages: mine }, id);
      const again = asTaken(await handle({ messages: mine }, id));

      expect(failed.status).toBe(500);
      expect(again.messages.map(({ content }) => content)).toEqual(["Hi", "Hello.", "1", "Here I am."]);
    },
  );

  it("refuses the client's copy if a failed run has stored more, and accepts the stored one", async () => {
    const { id, copy, handle, provider } = await begun(
      [{ toolCalls: [{ name: "look" }] }, broken, "I have seen it."],
      "step",
    );
    const mine = [...copy, user("Look")];
    expect((await handle({ messages: mine }, id)).status).toBe(500);

    const refused = await handle({ messages: mine }, id);
    const found = await provider.findConversations({ conversationId: id, userId: "u" });
    const stored = found.success ? found.data[0]?.messages : undefined;
    const again = asTaken(await handle({ messages: stored }, id));

    expect(refused).toEqual({ status: 409, body: "truncated-history" });
    expect(again.messages.at(-1)?.content).toBe("I have seen it.");
  });

  it("answers an empty request and an empty id as the client's fault", async () => {
    const { id, handle } = await begun([]);

    expect(await handle({}, id)).toEqual({ status: 409, body: "malformed-message" });
    expect(await handle({ messages: null } as never, id)).toMatchObject({ status: 409 });
    expect(await handle({ messages: [user("Hi")] }, "")).toEqual({ status: 404 });
    expect(await handle({ messages: [user("Hi")] }, "\0")).toEqual({ status: 404 });
  });
});
