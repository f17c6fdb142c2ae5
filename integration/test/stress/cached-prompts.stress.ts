import { describeCachedPrompts } from "../support/cached-prompts.ts";

describeCachedPrompts("postgres");
describeCachedPrompts("pglite");
