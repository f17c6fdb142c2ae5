import type { Agent, RunState, Tool } from "@jaf/core";
import { z } from "zod";

// Define your application context
interface MyApplicationContext {
  readonly userId: string;
  readonly sessionId: string;
  readonly permissions: readonly string[];
  readonly preferences: {
    readonly language: string;
    readonly timezone: string;
  };
}

declare function performLocalizedSearch(query: string, language: string): Promise<string>;
declare const currentState: RunState<MyApplicationContext>;

// All components are typed with your context
export const agent: Agent<MyApplicationContext, string> = {
  name: "personalized-agent",
  instructions: (state) => {
    const { userId, preferences } = state.context;
    return `You are helping user ${userId}. 
            Respond in ${preferences.language}.
            User timezone: ${preferences.timezone}`;
  },
};

export const tool: Tool<{ query: string }, MyApplicationContext> = {
  schema: {
    name: "personalized_search",
    description: "Search with user personalization",
    parameters: z.object({ query: z.string() }),
  },
  execute: async (args, context) => {
    // context is Readonly<MyApplicationContext>
    const userLang = context.preferences.language;

    // This would cause TypeScript error:
    // @ts-expect-error
    context.userId = "new-id"; // Cannot assign to readonly property

    return performLocalizedSearch(args.query, userLang);
  },
};

// Update context by creating new state
export const updatedState: RunState<MyApplicationContext> = {
  ...currentState,
  context: {
    ...currentState.context,
    preferences: {
      ...currentState.context.preferences,
      language: "es", // Update language preference
    },
  },
};
