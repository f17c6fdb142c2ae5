/** What the third text calls `@gemstack/ai-sdk`. */
export * from "@jaf/agents";
