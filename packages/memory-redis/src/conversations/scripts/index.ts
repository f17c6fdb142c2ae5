import type { RunScript } from "../../lua.ts";
import { registerChild } from "./children.ts";
import { deleteConversation, tombstone } from "./erasure.ts";
import {
  confirmIndexEntry,
  correctIndexEntry,
  extendIndex,
  indexPage,
  removeIndexEntry,
  reserveIndexEntry,
  sampleIndex,
} from "./indexes.ts";
import { heads, history, selectMessages, touch } from "./read.ts";
import { write } from "./write.ts";
import { writeAndBegin } from "./write-and-begin.ts";

export const scripts = {
  ...{ write, writeAndBegin },
  ...{ heads, history, selectMessages, touch },
  ...{ delete: deleteConversation, registerChild, tombstone },
  ...{ confirmIndexEntry, correctIndexEntry, extendIndex, removeIndexEntry, reserveIndexEntry },
  ...{ indexPage, sampleIndex },
} as const;

export type RunConversationScript = RunScript<keyof typeof scripts>;
