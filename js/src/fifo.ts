// A list that is filled at its end and taken from at its beginning, all the time: it keeps its memory, and makes no garbage.

/** How many that were taken may still stand in it. */
const SLACK = 64;

export class Fifo<Item> {
  readonly #items: Item[] = [];
  /** How many at its beginning were taken. */
  #taken = 0;

  push(item: Item): void {
    this.#items.push(item);
  }

  /** The first one; `undefined` if there is none. */
  take(): Item | undefined {
    const items = this.#items;
    const item = items[this.#taken];
    if (item === undefined) return undefined;
    this.#taken += 1;
    // One by one: to cut a list off makes a new one.
    if (this.#taken === items.length) for (; this.#taken > 0; this.#taken -= 1) items.pop();
    // Half of them at a time, so that a list that is never empty does not grow and each is moved once.
    else if (this.#taken >= SLACK && this.#taken * 2 >= items.length) {
      items.splice(0, this.#taken);
      this.#taken = 0;
    }
    return item;
  }

  get isEmpty(): boolean {
    return this.#items.length === 0;
  }
}
