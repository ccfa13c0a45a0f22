// Processors of sound have no TextDecoder, no timers, no performance and no AbortController.
import { use } from '../use.mjs';

class Processor extends AudioWorkletProcessor {
  constructor() {
    super();
    use().then((said) => this.port.postMessage(said), (error) => this.port.postMessage(String(error)));
  }

  process() {
    return true;
  }
}

registerProcessor('processor', Processor);
