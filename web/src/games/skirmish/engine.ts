/** Skirmish without a screen, for the worker of a page without a server. */

import { serve } from '../../page/engine'
import { local } from './local'

serve(local)
