import type { PartName } from "../options.ts";
import { append } from "./append.ts";
import { clear } from "./clear.ts";
import { clients } from "./clients.ts";
import { engine } from "./engine.ts";
import { imports } from "./imports.ts";
import { isolation } from "./isolation.ts";
import { load } from "./load.ts";
import type { Part } from "./part.ts";
import { read } from "./read.ts";
import { scale } from "./scale.ts";
import { streams } from "./streams.ts";
import { turns } from "./turns.ts";
import { waits } from "./waits.ts";

export const parts: Record<PartName, Part> = {
  engine,
  append,
  read,
  clients,
  scale,
  clear,
  waits,
  turns,
  load,
  imports,
  streams,
  isolation,
};
