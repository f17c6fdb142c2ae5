import { describeCachedPrompts } from "./support/cached-prompts.ts";

describeCachedPrompts("redis");
