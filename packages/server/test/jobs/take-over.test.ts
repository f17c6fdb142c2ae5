import { createTool, type ModelProvider, runInbox } from "@jaf/core";
import { toEntryContent } from "@jaf/core/internal";
import {
  createFailure,
  createInMemoryInbox,
  createMemoryConnectionError,
  createSuccess,
  type Inbox,
  type TurnLog,
} from "@jaf/memory";
import { describe, expect, onTestFinished, test } from "vitest";
import * as z from "zod";
import type { TurnEvent } from "../../src/turns/turn-event.ts";
import { agentTree } from "../support/agent-tree.ts";
import {
  ask,
  begin,
  clerk,
  createPausingModel,
  createScriptedModel,
  createTestService,
  createWorld,
  eventsOf,
  messagesOf,
  metadataOf,
  type World,
} from "../support/turn-fixtures.ts";

const unreachable = async () => createFailure(createMemoryConnectionError("test"));

/** Calls that don't return until the test has ended. */
function never(): Promise<never> {
  return new Promise((_resolve, reject) => {
    hanging.add(() => reject(new Error("the process is gone")));
  });
}
const hanging = new Set<() => void>();

/** Ends the hanging calls with the test. Call it after creating the services, so the calls end before the services close. */
function endHangingWithTest(): void {
  onTestFinished(() => {
    for (const end of hanging) end();
    hanging.clear();
  });
}

/** The stores for a process that can die: after its death, none of its calls reach the store. */
function mortal(world: World) {
  let isDead = false;
  const dying = <T extends object>(target: T): T =>
    new Proxy(target, {
      get: (of, key) => {
        const value: unknown = Reflect.get(of, key);
        if (typeof value !== "function") return value;
        return (...args: unknown[]) => (isDead ? never() : value.apply(of, args));
      },
    });
  return {
    world: { log: dying({ ...world.log }), provider: dying({ ...world.provider }) },
    die: () => {
      isDead = true;
      endHangingWithTest();
    },
  };
}

const FAST = { leaseSeconds: 1, recoverMs: 50 } as const;
const pieces = (events: readonly { readonly event: TurnEvent }[]) =>
  events.map(({ event }) => event.type).filter((type) => type !== "context" && type !== "model_call");

async function untilTold(world: World, turn: { conversationId: string; turnId: string }, type: string) {
  await expect
    .poll(async () => {
      const page = await world.log.read({ conversationId: turn.conversationId, turnId: turn.turnId });
      return page.success ? page.data?.events.some((text) => text.includes(`"type":"${type}"`)) : false;
    })
    .toBe(true);
}

describe("A turn of a process that is gone", () => {
  test("begins its text again in another process", async () => {
    const world = createWorld();
    const first = mortal(world);
    const dying = createTestService(first.world, createPausingModel(["Hel"]).model, FAST);
    const turn = await begin(dying, ask("Hi."));
    await untilTold(world, turn, "text");
    first.die();
    const model = createScriptedModel(["Hello."]);
    const service = createTestService(world, model, FAST);
    const events = await eventsOf(service, turn);
    expect(pieces(events)).toEqual(["turn_start", "text", "retract", "text", "message", "turn_end"]);
    expect(events.map(({ number }) => number)).toEqual(events.map((_, index) => index));
    expect(events.at(-1)?.event).toMatchObject({ status: "completed" });
    expect(await messagesOf(world, turn.conversationId)).toEqual([
      { role: "user", content: "Hi." },
      { role: "assistant", content: "Hello." },
    ]);
    model.assertDone();
  });

  test("continues after a tool without running it again", async () => {
    const world = createWorld();
    const first = mortal(world);
    let runs = 0;
    const count = createTool({
      name: "count",
      description: "Counts",
      parameters: z.object({}),
      execute: async () => String(++runs),
    });
    const agents = [{ ...clerk, tools: [count] }];
    const calling = createScriptedModel([{ toolCalls: [{ name: "count" }] }]);
    const { model: pausing } = createPausingModel(["It w"]);
    const before: ModelProvider<unknown> = {
      ...pausing,
      getCompletionStream: (...request) => {
        const { getCompletionStream: next = calling.getCompletionStream } = pausing;
        return request[0].messages.length === 1 ? calling.getCompletionStream(...request) : next(...request);
      },
    };
    const dying = createTestService(first.world, before, { ...FAST, agents });
    const turn = await begin(dying, ask("Count."));
    await untilTold(world, turn, "text");
    first.die();
    const model = createScriptedModel(["It was one."]);
    const service = createTestService(world, model, { ...FAST, agents });
    const events = await eventsOf(service, turn);
    expect(runs).toBe(1);
    expect(pieces(events)).toEqual([
      ...["turn_start", "tool_arguments", "message", "tool_start", "tool_end"],
      ...["text", "retract", "text", "message", "turn_end"],
    ]);
    const roles = (await messagesOf(world, turn.conversationId)).map(({ role }) => role);
    expect(roles).toEqual(["user", "assistant", "tool", "assistant"]);
    model.assertDone();
  });

  test.each([
    { dies: "between its write and its event", isTold: false },
    { dies: "after its event", isTold: true },
  ])("tells once what it took from the inbox, if the process dies $dies", async ({ isTold }) => {
    const world = createWorld();
    const first = mortal(world);
    const stored = createInMemoryInbox();
    const inbox: Inbox = {
      ...stored,
      remove: (upTo) => {
        if (!isTold) first.die();
        return stored.remove(upTo);
      },
    };
    const configOf = (of: World, modelProvider: ModelProvider<unknown>, read: Inbox) => ({
      ...{ modelProvider, memory: { provider: of.provider, autoStore: true, inbox: runInbox(read) } },
    });
    const work = createTool({
      name: "work",
      description: "Works",
      parameters: z.object({}),
      execute: async () => {
        for (const content of ["One.", "Two."]) {
          const message = { conversationId: turn.conversationId, userId: "ada", key: content };
          await stored.put({ ...message, content: toEntryContent({ content }) });
        }
        return "worked";
      },
    });
    const agents = [{ ...clerk, tools: [work] }];
    const calling = createScriptedModel([{ toolCalls: [{ name: "work" }] }]);
    const { model: pausing } = createPausingModel(["Th"]);
    const before: ModelProvider<unknown> = {
      ...pausing,
      getCompletionStream: (...request) => {
        const { getCompletionStream: next = calling.getCompletionStream } = pausing;
        return request[0].messages.length === 1 ? calling.getCompletionStream(...request) : next(...request);
      },
    };
    const config = configOf(first.world, before, inbox);
    const turn: { readonly conversationId: string; readonly turnId: string } = await begin(
      createTestService(first.world, before, { ...FAST, agents, config }),
      ask("Hi."),
    );
    await untilTold(world, turn, isTold ? "text" : "tool_start");
    if (isTold) first.die();
    else await expect.poll(async () => (await messagesOf(world, turn.conversationId)).length).toBe(5);
    const model = createScriptedModel(["That was all."]);
    const later = { ...FAST, agents, config: configOf(world, model, stored) };
    const events = (await eventsOf(createTestService(world, model, later), turn)).map(({ event }) => event);
    const inputs = events.flatMap((event) => (event.type === "input" ? event.messages : []));
    expect(inputs.map(({ content }) => content)).toEqual(["One.", "Two."]);
    const types = events.map(({ type }) => type);
    expect(types.indexOf("tool_end")).toBeLessThan(types.indexOf("input"));
    expect(types.indexOf("input")).toBeLessThan(types.lastIndexOf("message"));
    expect((await messagesOf(world, turn.conversationId)).map(({ role }) => role)).toEqual([
      ...["user", "assistant", "tool", "user", "user", "assistant"],
    ]);
    model.assertDone();
  });

  // The results of an agent's calls must come before the agent's own result, which ends its item at a page.
  test.each([
    {
      cutOff: "an agent",
      pattern: /"type":"inner".*"type":"tool_end"/s,
      missing: [
        ["call_2", "act", "expert did work"],
        ["call_2", "intern", "intern did work"],
      ],
    },
    {
      cutOff: "an agent of an agent",
      pattern: /"type":"inner","toolCallId":"call_2\/call_2".*"type":"tool_end"/s,
      missing: [
        ["call_2", "act", "expert did work"],
        ["call_2/call_2", "act", "intern did work"],
        ["call_2", "intern", "intern did work"],
      ],
    },
  ])("gets the events of the stored results of $cutOff that runs as a tool", async ({ pattern, missing }) => {
    const world = createWorld();
    const { agent, model, executed } = agentTree({ asking: [] });
    let isCut = false;
    const log: TurnLog = {
      ...world.log,
      append: async (events) => {
        const end = events.events.findIndex((text) => pattern.test(text));
        if (isCut || end === -1) return isCut ? never() : world.log.append(events);
        isCut = true;
        await world.log.append({ ...events, events: events.events.slice(0, end) });
        return never();
      },
      renew: async (writer) => (isCut ? never() : world.log.renew(writer)),
    };
    const options = { ...FAST, agents: [agent] };
    const dying = createTestService({ ...world, log }, model, options);
    const turn = await begin(dying, ask("work", { agentName: "front" }));
    await expect.poll(async () => (await messagesOf(world, turn.conversationId)).length).toBe(5);
    const service = createTestService(world, model, options);
    endHangingWithTest();
    const events = await eventsOf(service, turn);
    const results = events.flatMap(({ event }) =>
      event.type === "inner" && event.event.type === "tool_end"
        ? [[event.toolCallId, event.event.toolName, event.event.result]]
        : [],
    );
    expect(executed).toHaveLength(3);
    expect(results).toEqual(missing);
    expect(events.at(-1)?.event).toMatchObject({ status: "completed" });
  });

  test("gets the event of a stored reply without another model call", async () => {
    const world = createWorld();
    let isCut = false;
    const log: TurnLog = {
      ...world.log,
      append: async (events) => {
        isCut ||= events.events.some((text) => text.includes('"type":"message"'));
        return isCut ? never() : world.log.append(events);
      },
      renew: async (writer) => (isCut ? never() : world.log.renew(writer)),
    };
    const dying = createTestService({ ...world, log }, createScriptedModel(["Hello."]), FAST);
    const turn = await begin(dying, ask("Hi."));
    const model = createScriptedModel([]);
    const service = createTestService(world, model, FAST);
    endHangingWithTest();
    const events = await eventsOf(service, turn);
    expect(pieces(events)).toEqual(["turn_start", "message", "turn_end"]);
    expect(await turn.ended).toMatchObject({ status: "completed" });
    expect(await messagesOf(world, turn.conversationId)).toHaveLength(2);
    model.assertDone();
  });

  test("keeps an approval that was given", async () => {
    const world = createWorld();
    const first = mortal(world);
    const keys: (string | undefined)[] = [];
    const wipe = (isSlow: boolean) =>
      createTool({
        name: "wipe",
        description: "Wipes",
        parameters: z.object({}),
        needsApproval: true,
        execute: async (_args, _context, call) => {
          keys.push(call?.idempotencyKey);
          return isSlow ? never() : "wiped";
        },
      });
    const asking = createScriptedModel([{ toolCalls: [{ name: "wipe" }] }]);
    const dying = createTestService(first.world, asking, {
      ...FAST,
      agents: [{ ...clerk, tools: [wipe(true)] }],
    });
    const waiting = await begin(dying, ask("Wipe."));
    const [interruption] = (await waiting.ended).interruptions ?? [];
    if (interruption?.type !== "approval") throw new Error("no approval");
    const { toolCallId, approvalId } = interruption;
    const approvals = [{ toolCallId, approvalId, approved: true }];
    const target = { conversationId: waiting.conversationId };
    const turn = await begin(dying, ask([], { target, approvals }));
    await expect.poll(() => keys.length).toBe(1);
    first.die();
    const agents = [{ ...clerk, tools: [wipe(false)] }];
    const service = createTestService(world, createScriptedModel(["Gone."]), { ...FAST, agents });
    const events = await eventsOf(service, turn);
    expect(events.at(-1)?.event).toMatchObject({ status: "completed" });
    expect(keys).toEqual([keys[0], keys[0]]);
    const roles = (await messagesOf(world, turn.conversationId)).map(({ role }) => role);
    expect(roles).toEqual(["user", "assistant", "tool", "assistant"]);
  });

  test("continues in the same process if the answer to its begin was lost", async () => {
    const world = createWorld();
    let begins = 0;
    const log: TurnLog = {
      ...world.log,
      begin: async (turn) => {
        begins += 1;
        const begun = await world.log.begin(turn);
        return begins === 1 ? unreachable() : begun;
      },
    };
    const model = createScriptedModel(["Hello."]);
    const service = createTestService({ ...world, log }, model, { leaseSeconds: 1 });
    const turn = await begin(service, ask("Hi."));
    expect(await turn.ended).toMatchObject({ status: "completed" });
    expect(await messagesOf(world, turn.conversationId)).toHaveLength(2);
    model.assertDone();
  });

  test("ends as stopped with its text so far if a stop was requested", async () => {
    const world = createWorld();
    const first = mortal(world);
    const dying = createTestService(first.world, createPausingModel(["Hel"]).model, FAST);
    const turn = await begin(dying, ask("Hi."));
    await untilTold(world, turn, "text");
    first.die();
    const model = createScriptedModel([]);
    const service = createTestService(world, model, { ...FAST });
    expect(await service.stop(turn)).toBe(true);
    const events = await eventsOf(service, turn);
    expect(pieces(events)).toEqual(["turn_start", "text", "message", "turn_end"]);
    expect(events.at(-1)?.event).toMatchObject({ status: "stopped" });
    expect((await messagesOf(world, turn.conversationId)).at(-1)).toEqual({
      role: "assistant",
      content: "Hel",
    });
  });

  test("ends as stopped without the text of a stored message whose event is missing", async () => {
    const world = createWorld();
    const first = mortal(world);
    const { model, go } = createPausingModel(["Let me see."]);
    const calling: ModelProvider<unknown> = {
      ...model,
      getCompletionStream: async function* (...call) {
        for await (const chunk of model.getCompletionStream?.(...call) ?? []) {
          if (chunk.type === "done")
            yield { type: "tool_call_delta", index: 0, id: "call-1", name: "look", arguments: "{}" };
          yield chunk;
        }
      },
    };
    const provider: World["provider"] = {
      ...first.world.provider,
      appendMessages: async (...write) => {
        const written = await world.provider.appendMessages(...write);
        if (!write[1].some(({ tool_calls: calls }) => calls !== undefined)) return written;
        first.die();
        return never();
      },
    };
    const dying = createTestService({ ...first.world, provider }, calling, FAST);
    const turn = await begin(dying, ask("Hi."));
    await untilTold(world, turn, "text");
    go();
    await expect.poll(() => messagesOf(world, turn.conversationId)).toHaveLength(2);
    const service = createTestService(world, createScriptedModel([]), FAST);
    expect(await service.stop(turn)).toBe(true);
    const events = await eventsOf(service, turn);
    expect(events.at(-1)?.event).toMatchObject({ status: "stopped" });
    const stored = await messagesOf(world, turn.conversationId);
    expect(stored).toMatchObject([{ role: "user" }, { role: "assistant", content: "Let me see." }]);
    expect(events.flatMap(({ event }) => (event.type === "message" ? [event.message] : []))).toEqual([
      stored[1],
    ]);
  });

  test("ends as stopped with the user's message if its process died before it stored anything", async () => {
    const world = createWorld();
    const first = mortal(world);
    const provider: World["provider"] = {
      ...first.world.provider,
      appendMessages: async (...write) => {
        if (write[1].length === 0) return world.provider.appendMessages(...write);
        first.die();
        return never();
      },
    };
    const dying = createTestService({ ...first.world, provider }, createScriptedModel([]), FAST);
    const turn = await begin(dying, ask("Hi."));
    const service = createTestService(world, createScriptedModel([]), FAST);
    expect(await service.stop(turn)).toBe(true);
    const events = await eventsOf(service, turn);
    expect(pieces(events)).toEqual(["turn_start", "turn_end"]);
    expect(events.at(-1)?.event).toMatchObject({ status: "stopped" });
    expect(await messagesOf(world, turn.conversationId)).toEqual([{ role: "user", content: "Hi." }]);
  });

  test("also keeps the user's message if that is stored at the end", async () => {
    const world = createWorld();
    const first = mortal(world);
    const { model: pausing } = createPausingModel(["Hel"]);
    const storedAtTheEnd = (of: World, modelProvider: ModelProvider<unknown>) => ({
      ...FAST,
      config: {
        modelProvider,
        memory: { provider: of.provider, autoStore: true, durability: "completed" as const },
      },
    });
    const dying = createTestService(first.world, pausing, storedAtTheEnd(first.world, pausing));
    const turn = await begin(dying, ask("Hi."));
    await untilTold(world, turn, "text");
    first.die();
    const model = createScriptedModel([]);
    const service = createTestService(world, model, storedAtTheEnd(world, model));
    expect(await service.stop(turn)).toBe(true);
    expect((await eventsOf(service, turn)).at(-1)?.event).toMatchObject({ status: "stopped" });
    expect(await messagesOf(world, turn.conversationId)).toEqual([
      { role: "user", content: "Hi." },
      { role: "assistant", content: "Hel" },
    ]);
  });

  test("tells a reply that is stored after replies that aren't", async () => {
    const world = createWorld();
    await world.provider.appendMessages("c", [], { userId: "ada" }, { createIfMissing: true });
    const target = { conversationId: "c" };
    const first = mortal(world);
    const endless = createTool({
      name: "endless",
      description: "Never ends",
      parameters: z.object({}),
      execute: never,
    });
    const agents = [{ ...clerk, tools: [endless] }];
    const calling = createScriptedModel([{ text: "One.", toolCalls: [{ name: "endless" }] }]);
    const storedAtTheEnd = (of: World, modelProvider: ModelProvider<unknown>) => {
      const memory = { provider: of.provider, autoStore: true, durability: "completed" as const };
      return { ...FAST, agents, config: { modelProvider, memory } };
    };
    const dying = createTestService(first.world, calling, storedAtTheEnd(first.world, calling));
    const turn = await begin(dying, ask("Hi.", { target }));
    await untilTold(world, turn, "tool_start");
    first.die();
    const second = mortal(world);
    const provider: World["provider"] = {
      ...second.world.provider,
      appendMessages: async (...args) => {
        const written = await second.world.provider.appendMessages(...args);
        if (args[1].length > 0) second.die();
        return written;
      },
    };
    const replying = createScriptedModel(["Two."]);
    const dyingWorld = { ...second.world, provider };
    createTestService(dyingWorld, replying, storedAtTheEnd(dyingWorld, replying));
    await expect.poll(async () => (await messagesOf(world, "c")).length).toBe(2);
    const model = createScriptedModel([]);
    const service = createTestService(world, model, storedAtTheEnd(world, model));
    const told = (await eventsOf(service, turn)).flatMap(({ event }) =>
      event.type === "message" ? [event.message.content] : [],
    );
    expect(told).toEqual(["One.", "Two."]);
  });

  test("makes its edit once", async () => {
    const world = createWorld();
    const made = createTestService(world, createScriptedModel(["One.", "Two."]));
    await (await begin(made, ask("Who?", { target: { newId: "c" } }))).ended;
    const { version = 0 } = (await metadataOf(world, "c")) ?? {};
    const first = mortal(world);
    const dying = createTestService(first.world, createPausingModel(["Th"]).model, FAST);
    const target = { conversationId: "c" };
    const turn = await begin(dying, ask("What?", { target, edit: { position: 0, version } }));
    await untilTold(world, turn, "text");
    first.die();
    const service = createTestService(world, createScriptedModel(["Three."]), FAST);
    expect((await eventsOf(service, turn)).at(-1)?.event).toMatchObject({ status: "completed" });
    expect((await messagesOf(world, "c")).map(({ content }) => content)).toEqual(["What?", "Three."]);
  });

  test.each(["step", "completed"] as const)(
    "makes an edit that isn't stored yet, with durability %s",
    async (durability) => {
      const world = createWorld();
      const made = createTestService(world, createScriptedModel(["One."]));
      await (await begin(made, ask("Who?", { target: { newId: "c" } }))).ended;
      const { version = 0 } = (await metadataOf(world, "c")) ?? {};
      const before = await messagesOf(world, "c");
      const first = mortal(world);
      const config = (modelProvider: ModelProvider<unknown>, { provider }: World) => ({
        config: { modelProvider, memory: { provider, autoStore: true, durability } },
      });
      // The turn begins, and the process dies before it writes.
      const provider = {
        ...first.world.provider,
        appendMessages: async (...args: Parameters<World["provider"]["appendMessages"]>) => {
          if (args[1].length > 0) first.die();
          return first.world.provider.appendMessages(...args);
        },
      };
      const dyingModel = durability === "step" ? createScriptedModel([]) : createPausingModel(["Th"]).model;
      const dyingWorld = { ...first.world, provider };
      const dying = createTestService(dyingWorld, dyingModel, { ...FAST, ...config(dyingModel, dyingWorld) });
      const target = { conversationId: "c" };
      const turn = await begin(dying, ask("What?", { target, edit: { position: 0, version } }));
      if (durability === "completed") await untilTold(world, turn, "text");
      first.die();
      expect(await messagesOf(world, "c")).toEqual(before);
      const model = createScriptedModel(["Three."]);
      const service = createTestService(world, model, { ...FAST, ...config(model, world) });
      expect((await eventsOf(service, turn)).at(-1)?.event).toMatchObject({ status: "completed" });
      expect((await messagesOf(world, "c")).map(({ content }) => content)).toEqual(["What?", "Three."]);
      model.assertDone();
    },
  );

  test("ends without its edit if the conversation has changed meanwhile", async () => {
    const world = createWorld();
    const made = createTestService(world, createScriptedModel(["One."]));
    await (await begin(made, ask("Who?", { target: { newId: "c" } }))).ended;
    const { version = 0 } = (await metadataOf(world, "c")) ?? {};
    const first = mortal(world);
    const { model } = createPausingModel(["Th"]);
    const memory = { provider: first.world.provider, autoStore: true, durability: "completed" } as const;
    const dying = createTestService(first.world, model, {
      ...FAST,
      config: { modelProvider: model, memory },
    });
    const target = { conversationId: "c" };
    const turn = await begin(dying, ask("What?", { target, edit: { position: 0, version } }));
    await untilTold(world, turn, "text");
    first.die();
    await world.provider.appendMessages("c", [{ role: "user", content: "Mine." }]);
    const service = createTestService(world, createScriptedModel([]), FAST);
    expect((await eventsOf(service, turn)).at(-1)?.event).toMatchObject({
      status: "error",
      error: { code: "MemoryError", retryable: false },
    });
    const contents = (await messagesOf(world, "c")).map(({ content }) => content);
    expect(contents).toEqual(["Who?", "One.", "Mine."]);
  });

  test("ends if its conversation is gone", async () => {
    const world = createWorld();
    const first = mortal(world);
    const dying = createTestService(first.world, createPausingModel(["Hel"]).model, FAST);
    const turn = await begin(dying, ask("Hi."));
    await untilTold(world, turn, "text");
    first.die();
    await world.provider.deleteConversation(turn.conversationId);
    const service = createTestService(world, createScriptedModel([]), FAST);
    expect((await eventsOf(service, turn)).at(-1)?.event).toMatchObject({
      status: "error",
      error: { retryable: false },
    });
    expect(await messagesOf(world, turn.conversationId)).toEqual([]);
  });

  test.each([
    ["as lost", false, { status: "error", error: { code: "Lost" } }],
    ["as stopped, if a stop was requested,", true, { status: "stopped" }],
  ])("ends %s if it kills each process", async (_how, isStopped, end) => {
    const world = createWorld();
    const killing = () => {
      const victim = mortal(world);
      const { model } = createPausingModel(["B"]);
      return { victim, service: createTestService(victim.world, model, FAST) };
    };
    const first = killing();
    const turn = await begin(first.service, ask("Boom."));
    await untilTold(world, turn, "text");
    first.victim.die();
    for (let takeOver = 1; takeOver <= 3; takeOver++) {
      const { victim } = killing();
      await expect
        .poll(async () => {
          const page = await world.log.read({ conversationId: turn.conversationId, turnId: turn.turnId });
          const texts = page.success ? (page.data?.events ?? []) : [];
          return texts.filter((text) => text.includes("taken-over")).length;
        })
        .toBe(takeOver);
      victim.die();
    }
    const model = createScriptedModel([]);
    const service = createTestService(world, model, FAST);
    if (isStopped) expect(await service.stop(turn)).toBe(true);
    expect((await eventsOf(service, turn)).at(-1)?.event).toMatchObject(end);
    model.assertDone();
  });

  test("continues immediately if its process has handed it over", async () => {
    const world = createWorld();
    const first = createTestService(world, createPausingModel(["Hel"]).model, { leaseSeconds: 60 });
    const turn = await begin(first, ask("Hi."));
    await untilTold(world, turn, "text");
    const service = createTestService(world, createScriptedModel(["Hello."]), {
      leaseSeconds: 60,
      recoverMs: 50,
    });
    expect(await first.drain({ timeoutMs: 10 })).toEqual({ handedOver: 1 });
    const events = await eventsOf(service, turn);
    expect(pieces(events)).toEqual([
      ...["turn_start", "text", "retract", "retract", "text", "message", "turn_end"],
    ]);
    expect(events.flatMap(({ event }) => (event.type === "retract" ? [event.reason] : []))).toEqual([
      "handed-over",
      "taken-over",
    ]);
    expect(await turn.ended).toEqual(events.at(-1)?.event);
    expect(await messagesOf(world, turn.conversationId)).toHaveLength(2);
  });
});

describe("While the store fails sometimes", () => {
  test("a turn has each event once and in order", async () => {
    const world = createWorld();
    let calls = 0;
    const log: TurnLog = {
      ...world.log,
      // One of three calls fails before it takes effect, and one after.
      append: async (events) => {
        calls += 1;
        if (calls % 3 === 1) return unreachable();
        const answer = await world.log.append(events);
        return calls % 3 === 2 ? unreachable() : answer;
      },
    };
    const words = Array.from({ length: 40 }, (_, n) => `word${n} `);
    const { model, go } = createPausingModel(words, ["end."]);
    const service = createTestService({ ...world, log }, model, { gatherMs: 1 });
    const turn = await begin(service, ask("Talk."));
    go();
    const events = await eventsOf(service, turn);
    expect(await turn.ended).toMatchObject({ status: "completed" });
    const text = events.map(({ event }) => (event.type === "text" ? event.text : "")).join("");
    expect(text).toBe(`${words.join("")}end.`);
    expect(events.map(({ number }) => number)).toEqual(events.map((_, index) => index));
    expect(await eventsOf(createTestService(world, model), turn)).toEqual(events);
  });

  test("a process that loses its lease stops immediately and stores nothing more", async () => {
    const world = createWorld();
    const { model, go } = createPausingModel(["One "], ["two."]);
    const service = createTestService(world, model);
    const turn = await begin(service, ask("Count."));
    await untilTold(world, turn, "text");
    await world.log.deleteConversation(turn.conversationId);
    await world.provider.deleteConversation(turn.conversationId);
    await expect.poll(() => service.running()).toBe(0);
    go();
    expect(await turn.ended).toMatchObject({ status: "error", error: { code: "Lost" } });
    expect(await eventsOf(service, turn)).toEqual([]);
    const read = await world.provider.getConversation(turn.conversationId);
    expect(read).toEqual(createSuccess(null));
  });

  test("an erasure of the conversation only ends the turn and restores nothing", async () => {
    const world = createWorld();
    const { model, go } = createPausingModel(["One "], ["two."]);
    const service = createTestService(world, model);
    const turn = await begin(service, ask("Count."));
    await untilTold(world, turn, "text");
    await world.provider.clearUserConversations("ada");
    go();
    expect(await turn.ended).toMatchObject({ status: "error", error: { code: "MemoryError" } });
    const stopped = createPausingModel(["One "]);
    const next = await begin(createTestService(world, stopped.model), ask("Count."));
    await untilTold(world, next, "text");
    await world.provider.clearUserConversations("ada");
    await service.stop(next);
    await next.ended;
    const found = await world.provider.findConversations({ userId: "ada" });
    expect(found).toEqual(createSuccess([]));
  });
});
