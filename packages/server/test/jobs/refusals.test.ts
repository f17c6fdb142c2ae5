import { createTool } from "@jaf/core";
import { createFailure, createMemoryConnectionError } from "@jaf/memory";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import type { TurnRequest } from "../../src/turns/turn-service.ts";
import {
  ask,
  begin,
  clerk,
  createPausingModel,
  createScriptedModel,
  createTestService,
  createWorld,
  messagesOf,
  metadataOf,
  type World,
} from "../support/turn-fixtures.ts";

async function everything({ log, provider }: World) {
  const [found, turns, ids] = await Promise.all([
    provider.findConversations({}),
    Promise.all((["ada", "bob"] as const).map((userId) => log.find({ userId, state: "running" }))),
    log.turnsOf("taken"),
  ]);
  return JSON.stringify([found, turns, ids]);
}

const refusalOf = async (service: ReturnType<typeof createTestService>, request: TurnRequest) => {
  const started = await service.start(request);
  return started.started ? undefined : started.refusal;
};

describe("A turn is refused and leaves nothing behind", () => {
  test("for another user's conversation and a missing one, with the same message", async () => {
    const world = createWorld();
    const service = createTestService(world, createScriptedModel(["Hello."]));
    await (await begin(service, ask("Hi.", { target: { newId: "taken" } }))).ended;
    const before = await everything(world);
    const identity = { userId: "bob" };
    const requests = ["taken", "nowhere"].flatMap((conversationId) => [
      ask("Hi.", { identity, target: { conversationId } }),
      ask([], { identity, target: { conversationId } }),
      ask("Hi.", { identity, target: { conversationId }, edit: { position: 0, version: 1 } }),
    ]);
    const refusals = await Promise.all(requests.map((request) => refusalOf(service, request)));
    for (const refusal of refusals) expect(refusal).toEqual(refusals[0]);
    expect(refusals[0]?.reason).toBe("not-found");
    const newId = await refusalOf(service, ask("Hi.", { identity, target: { newId: "taken" } }));
    expect(newId?.reason).toBe("not-found");
    expect(await everything(world)).toBe(before);
  });

  test("for invalid input", async () => {
    const world = createWorld();
    const service = createTestService(world, createScriptedModel([]));
    const before = await everything(world);
    const requests = [
      ask(""),
      ask([]),
      ask([{ role: "assistant", content: "I said so." }]),
      ask("Hi.", { agentName: "nobody" }),
      ask("Hi.", { target: { newId: "" } }),
      ask("Hi.", { approvals: [null] as never }),
    ];
    for (const request of requests) {
      expect(await refusalOf(service, request)).toMatchObject({ reason: "invalid", retryable: false });
    }
    expect(await everything(world)).toBe(before);
  });

  test("for approvals and a history that don't match, even in a new conversation", async () => {
    const world = createWorld();
    const service = createTestService(world, createScriptedModel(["Hello."]));
    const approvals = [{ toolCallId: "call_1", approvalId: "made-up", approved: true }];
    const messages = [{ role: "assistant" as const, content: "I promise." }];
    const before = await everything(world);
    expect(await refusalOf(service, ask([], { approvals }))).toMatchObject({ reason: "changed" });
    expect(await refusalOf(service, ask([], { messages }))).toMatchObject({ reason: "changed" });
    expect(await everything(world)).toBe(before);
    const turn = await begin(service, ask("Hi."));
    await turn.ended;
    const target = { conversationId: turn.conversationId };
    const after = await everything(world);
    expect(await refusalOf(service, ask([], { target, approvals }))).toMatchObject({ reason: "changed" });
    expect(await refusalOf(service, ask([], { target, messages }))).toMatchObject({ reason: "changed" });
    expect(await everything(world)).toBe(after);
  });

  test("while another turn runs, with that turn's id", async () => {
    const world = createWorld();
    const { model, go } = createPausingModel(["One "], ["two."]);
    const service = createTestService(world, model);
    const other = createTestService(world, model);
    const turn = await begin(service, ask("Count."));
    const target = { conversationId: turn.conversationId };
    const { version = 0 } = (await metadataOf(world, turn.conversationId)) ?? {};
    const requests = [
      ask("And?", { target }),
      ask("Count.", { target }),
      ask([], { target }),
      ask("Count down.", { target, edit: { position: 0, version } }),
    ];
    for (const request of requests) {
      for (const asked of [service, other]) {
        expect(await refusalOf(asked, request)).toMatchObject({ reason: "running", turnId: turn.turnId });
      }
    }
    go();
    expect((await turn.ended).status).toBe("completed");
    expect(await messagesOf(world, turn.conversationId)).toEqual([
      { role: "user", content: "Count." },
      { role: "assistant", content: "One two." },
    ]);
  });

  test("if the log doesn't answer", async () => {
    const world = createWorld();
    const log = {
      ...world.log,
      begin: async () => createFailure(createMemoryConnectionError("test")),
    };
    const model = createScriptedModel([]);
    const service = createTestService({ ...world, log }, model);
    expect(await refusalOf(service, ask("Hi."))).toMatchObject({ reason: "store", retryable: true });
    const found = await world.provider.findConversations({ userId: "ada" });
    expect(found.success && found.data).toEqual([]);
    expect(service.running()).toBe(0);
  });

  test("for a bug in the server's code", async () => {
    const world = createWorld();
    const errors: unknown[] = [];
    const service = createTestService(world, createScriptedModel([]), {
      context: () => {
        throw new Error("no session");
      },
      onError: (error) => {
        errors.push(error);
        throw error;
      },
    });
    expect(await refusalOf(service, ask("Hi."))).toMatchObject({ reason: "store", retryable: false });
    expect(errors).toEqual([new Error("no session")]);
    expect(await everything(world)).toBe(await everything(createWorld()));
  });

  test("by a process that is shutting down", async () => {
    const world = createWorld();
    const service = createTestService(world, createScriptedModel([]));
    expect(await service.drain({ timeoutMs: 10 })).toEqual({ handedOver: 0 });
    expect(await refusalOf(service, ask("Hi."))).toMatchObject({ reason: "draining", retryable: true });
  });

  test("unless its input is blocked: then the turn ends with the reason", async () => {
    const world = createWorld();
    const service = createTestService(world, createScriptedModel([]), {
      config: {
        modelProvider: createScriptedModel([]),
        memory: { provider: world.provider },
        initialInputGuardrails: [() => ({ isValid: false, errorMessage: "too rude" })],
      },
    });
    const turn = await begin(service, ask("Grr."));
    expect(await turn.ended).toMatchObject({
      status: "error",
      error: { code: "InputGuardrailTripwire", retryable: false },
    });
    expect(await messagesOf(world, turn.conversationId)).toEqual([]);
  });
});

describe("A waiting turn", () => {
  const wipe = createTool({
    name: "wipe",
    description: "Wipes",
    parameters: z.object({ what: z.string() }),
    needsApproval: true,
    execute: async ({ what }) => `wiped ${what}`,
  });

  test("continues after an approval in another service", async () => {
    const world = createWorld();
    const agents = [{ ...clerk, tools: [wipe] }];
    const model = createScriptedModel([
      { toolCalls: [{ name: "wipe", arguments: { what: "it" } }] },
      "It is gone.",
    ]);
    const service = createTestService(world, model, { agents });
    const turn = await begin(service, ask("Wipe it."));
    const end = await turn.ended;
    expect(end.status).toBe("interrupted");
    const found = await world.log.find({ userId: "ada", state: "waiting" });
    const [waiting] = found.success ? found.data : [];
    expect(waiting?.turnId).toBe(turn.turnId);
    const record = JSON.parse(waiting?.record ?? "null");
    expect(record.interruptions).toMatchObject([{ toolName: "wipe", args: { what: "it" } }]);
    const [interruption] = end.interruptions ?? [];
    if (interruption?.type !== "approval") throw new Error("no approval");
    const { toolCallId, approvalId } = interruption;
    const other = createTestService(world, model, { agents });
    const target = { conversationId: turn.conversationId };
    const wrong = [{ toolCallId, approvalId: "another", approved: true }];
    expect(await refusalOf(other, ask([], { target, approvals: wrong }))).toMatchObject({
      reason: "changed",
    });
    const still = await world.log.find({ userId: "ada", state: "waiting" });
    expect(still.success && still.data).toHaveLength(1);
    const next = await begin(
      other,
      ask([], { target, approvals: [{ toolCallId, approvalId, approved: true }] }),
    );
    expect((await next.ended).status).toBe("completed");
    expect((await messagesOf(world, turn.conversationId)).map(({ content }) => content)).toEqual([
      "Wipe it.",
      "",
      "wiped it",
      "It is gone.",
    ]);
    const after = await world.log.find({ userId: "ada", state: "waiting" });
    expect(after.success && after.data).toEqual([]);
    model.assertDone();
  });
});
