import { Bulkhead } from 'bulkheads';
import { use } from '../../use.mjs';

export const dynamic = 'force-dynamic';

export async function GET() {
  return new Response(`${await use()} ${Bulkhead.engineError?.message ?? ''}`.trim());
}
