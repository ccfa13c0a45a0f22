import { use } from '../use.mjs';

export default {
  async test() {
    console.log(await use().catch((error) => error.message));
  },
};
