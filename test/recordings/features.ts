/** The features of services: the rows of the table in `docs/models.md`, in order. */
export const FEATURES = [
  ...["web search", "web fetch", "URL context", "file search", "maps", "sources"],
  ...["code execution", "skills", "image generation", "generated media"],
  ...["shell", "bash", "apply_patch", "text editor", "memory", "computer use"],
  ...["MCP", "MCP with approval", "tool search", "programmatic calls", "advisor", "answered calls"],
  ...["function calls", "custom tools", "tool options", "streamed arguments", "structured output"],
  ...["reasoning", "refusals", "stop reasons", "paused turns"],
  ...["compaction", "context editing", "log probabilities", "ratings", "usage", "text"],
] as const;

export type Feature = (typeof FEATURES)[number];
