import type { StoreSpec } from "../store/spec.ts";
import { extraction } from "./extraction.ts";
import { identity } from "./identity.ts";
import { lying } from "./lies.ts";
import { records } from "./records.ts";
import { rendering } from "./rendering.ts";
import { trust } from "./trust.ts";
import { volume } from "./volume.ts";

/** The twenty attacks on a user memory, each numbered in its title, and an extractor that tries them all. */
export const attackSpecs: readonly StoreSpec[] = [
  rendering,
  identity,
  extraction,
  trust,
  volume,
  records,
  lying,
];
