import { describe, expectTypeOf, it } from "vitest";
import {
  type Agent,
  type createAgentClient,
  type Middleware,
  type MiddlewareTurn,
  type PromptOptions,
  type RemembersDeclaration,
  type RunConfig,
  type RunUserMemory,
  setRunUserMemory,
  type TurnAddition,
} from "../../src/index.ts";

interface Session {
  readonly userId?: string;
}

describe("an agent", () => {
  it("needs neither middleware nor remembers", () => {
    const agent: Agent<Session, string> = { name: "agent", instructions: () => "" };
    expectTypeOf(agent.remembers).toEqualTypeOf<RemembersDeclaration<Session> | undefined>();
  });

  it("accepts remembers as a value, a function or a method of the context", () => {
    const fixed = {
      user: "alice",
      inject: "auto",
      extract: "auto",
      extractWith: "anthropic/claude-haiku-4-5",
      tags: ["support"],
      injectLimit: 5,
      injectTokenBudget: 400,
    } as const;
    expectTypeOf(fixed).toExtend<RemembersDeclaration<Session>>();
    const agent: Agent<Session, string> = {
      name: "support",
      instructions: () => "You are a support agent.",
      remembers: ({ userId }) => ({ user: userId, inject: "auto", extract: "auto" }),
    };
    const asMethod: Agent<Session, string> = {
      ...agent,
      async remembers({ userId }) {
        return userId === undefined ? false : { user: userId, extract: "auto" };
      },
    };
    expectTypeOf(asMethod).toExtend<Agent<Session, string>>();
  });

  it("rejects unknown fields in remembers", () => {
    const agent: Agent<Session, string> = {
      name: "agent",
      instructions: () => "",
      // @ts-expect-error it is "auto" or false
      remembers: { user: "alice", inject: true },
    };
    expectTypeOf(agent).toBeObject();
  });

  it("takes middleware with and without a context type", () => {
    const any: Middleware<unknown> = { name: "any", onStart: () => undefined };
    const ofSession: Middleware<Session> = {
      name: "of session",
      onStart: async ({ state }) => ({ instructions: state.context.userId }),
    };
    const agent: Agent<Session, string> = {
      name: "agent",
      instructions: () => "",
      middleware: [any, ofSession],
    };
    expectTypeOf(agent).toExtend<Agent<Session, string>>();
    expectTypeOf<Middleware<{ readonly id: string }>>().not.toExtend<Middleware<unknown>>();
  });
});

describe("a middleware around calls", () => {
  it("has a typed context or none", () => {
    const any: Middleware<unknown> = {
      name: "any",
      wrapModelCall: (_request, next) => next(),
      wrapToolCall: (_request, next) => next(),
    };
    const ofSession: Middleware<Session> = {
      name: "of session",
      wrapModelCall: async ({ state, messages }, next) =>
        state.context.userId === undefined ? { message: { content: "Who are you?" } } : next({ messages }),
      wrapToolCall: ({ context, args }, next) =>
        context.userId === undefined ? { status: "permission_denied" } : next({ args }),
    };
    expectTypeOf(any).toExtend<Middleware<Session>>();
    expectTypeOf(ofSession).toExtend<Middleware<Session & { readonly id: string }>>();
  });

  it("changes only the fields that can be changed, and not in place", () => {
    const middleware: Middleware<Session> = {
      name: "changes",
      wrapModelCall: (request, next) => {
        // @ts-expect-error it is readonly
        request.instructions = "";
        // @ts-expect-error it is readonly
        request.messages.push({ role: "user", content: "" });
        // @ts-expect-error the run's state isn't to be changed
        return next({ state: request.state });
      },
    };
    expectTypeOf(middleware).toBeObject();
  });
});

describe("a middleware's turn", () => {
  it("can't be changed", () => {
    const change = (turn: MiddlewareTurn<Session>) => {
      // @ts-expect-error it is readonly
      turn.position = 1;
      // @ts-expect-error it is readonly
      turn.userMessages.push({ role: "user", content: "" });
      // @ts-expect-error it is readonly
      turn.state.context.userId = "bob";
    };
    expectTypeOf(change).toBeFunction();
    expectTypeOf<TurnAddition>().toEqualTypeOf<{
      readonly instructions?: string | undefined;
      readonly beforeNewestMessage?: string | undefined;
    }>();
  });
});

describe("a run and a prompt", () => {
  it("declare remembers, or false", () => {
    expectTypeOf<{ user: string }>().toExtend<RunConfig<Session>["remembers"]>();
    expectTypeOf<false>().toExtend<RunConfig<Session>["remembers"]>();
    expectTypeOf<false>().toExtend<PromptOptions<Session>["memory"]>();
    expectTypeOf<{ user: string | undefined }>().toExtend<PromptOptions<Session>["memory"]>();
    expectTypeOf<true>().not.toExtend<PromptOptions<Session>["memory"]>();
  });

  it("take a user memory, but not a bare store", () => {
    expectTypeOf(setRunUserMemory).parameter(0).toEqualTypeOf<RunUserMemory | undefined>();
    expectTypeOf<Parameters<typeof createAgentClient<Session, string>>[1]["userMemory"]>().toEqualTypeOf<
      RunUserMemory | undefined
    >();
    expectTypeOf<{ recall: () => Promise<[]> }>().not.toExtend<RunUserMemory>();
  });
});
