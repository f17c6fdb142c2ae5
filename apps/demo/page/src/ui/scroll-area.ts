import { type ComponentChildren, h, type VNode } from "preact";

interface ScrollAreaProps {
  readonly class: string;
  readonly label: string;
  readonly id?: string;
  readonly children: ComponentChildren;
}

/** What is longer than the screen. It takes the focus, so that the keyboard scrolls it also where nothing in it does. */
export const ScrollArea = ({ class: name, label, id, children }: ScrollAreaProps): VNode =>
  h("section", { class: name, id, tabIndex: 0, "aria-label": label }, children) as VNode;
