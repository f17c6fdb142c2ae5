import {
  type AgentClient,
  type Agent as AgentValue,
  createAgentClient,
  type PromptResult,
  type PromptStream,
  type Tool,
} from "@jaf/core";
import { describe, expectTypeOf, it } from "vitest";
import * as z from "zod";
import { Agent, type AgentConfig, AiRegistry } from "../src/index.ts";

interface Session {
  readonly userId: string;
}
interface Sum {
  readonly sum: number;
}

class SumAgent extends Agent<Session, Sum> {
  override outputCodec() {
    return z.object({ sum: z.number() });
  }
}
declare const agent: SumAgent;

describe("an agent's class", () => {
  it("has its output and context in all results", () => {
    expectTypeOf(agent.prompt).returns.resolves.toEqualTypeOf<PromptResult<Sum>>();
    expectTypeOf(agent.stream).returns.toEqualTypeOf<PromptStream<Sum>>();
    expectTypeOf(agent.forUser).returns.toEqualTypeOf<AgentClient<Sum, Session>>();
    expectTypeOf(agent.continue).returns.toEqualTypeOf<AgentClient<Sum, Session>>();
    expectTypeOf(agent.toValue).returns.toEqualTypeOf<AgentValue<Session, Sum>>();
    expectTypeOf(agent).toExtend<AgentClient<Sum, Session>>();
    // @ts-expect-error: another context than the agent's
    agent.prompt("Hi", { context: { name: "Alice" } });
  });

  it("has no context and text output by default", () => {
    class HelpAgent extends Agent {}
    expectTypeOf(new HelpAgent()).toExtend<AgentClient<string>>();
    expectTypeOf(new HelpAgent().prompt("Hi")).resolves.toEqualTypeOf<PromptResult<string>>();
  });

  it("has a method for each field of an agent value", () => {
    expectTypeOf<keyof AgentValue<Session, Sum>>().toExtend<keyof Agent<Session, Sum>>();
  });

  it("accepts the text's methods without annotations", () => {
    class TextAgent extends Agent<Session> {
      override tools() {
        return [];
      }
      override cacheable() {
        return { messages: 4 };
      }
      override conversational() {
        return Promise.resolve({ user: undefined as string | undefined, historyLimit: 50 });
      }
      override remembers({ userId }: Session) {
        return { user: userId, inject: "auto", extract: "auto", extractWith: "anthropic/claude-haiku-4-5" };
      }
    }
    class OtherAgent extends TextAgent {
      override cacheable() {
        return { messages: 4, instructions: true, tools: true, ttl: "6h" };
      }
    }
    class AllAgent extends Agent {
      override cacheable() {
        return { messages: "all" };
      }
      override conversational() {
        return { user: null, agent: "custom" };
      }
    }
    expectTypeOf(new OtherAgent()).toExtend<Agent<Session>>();
    expectTypeOf(new AllAgent()).toExtend<Agent>();
  });

  it("refuses invalid field values", () => {
    class WrongAgent extends Agent<Session, Sum> {
      // @ts-expect-error: a codec of something else
      override outputCodec() {
        return z.string();
      }
      // @ts-expect-error: a tool of another context
      override tools(): readonly Tool<unknown, { readonly name: string }>[] {
        return [];
      }
      // @ts-expect-error: whose it is has to be said
      override conversational() {
        return { historyLimit: 50 };
      }
      // @ts-expect-error: a number of messages
      override cacheable() {
        return { messages: true };
      }
      // @ts-expect-error: a name
      override model() {
        return 4;
      }
      override config(): AgentConfig<Session> {
        // @ts-expect-error: not "sometimes"
        return { onToolError: "sometimes" };
      }
    }
    expectTypeOf<WrongAgent>().toBeObject();
  });
});

describe("AiRegistry.modelProvider", () => {
  it("serves agents of every context", () => {
    const { modelProvider } = AiRegistry;
    const client = createAgentClient(agent.toValue(), { modelProvider, context: { userId: "u" } });
    expectTypeOf(client).toEqualTypeOf<AgentClient<Sum, Session>>();
  });
});
