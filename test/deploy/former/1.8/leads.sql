CREATE TABLE public.alerts (
    destination text NOT NULL,
    seen_at bigint NOT NULL,
    told bigint NOT NULL,
    due_at bigint NOT NULL,
    last_error text
);
CREATE TABLE public.audit (
    id text NOT NULL,
    at bigint NOT NULL,
    actor text NOT NULL,
    action text NOT NULL,
    filter text NOT NULL,
    leads bigint NOT NULL,
    ids text NOT NULL
);
CREATE TABLE public.audit_leads (
    lead_id text NOT NULL,
    id text NOT NULL
);
CREATE TABLE public.break_ends (
    destination text NOT NULL,
    ended_at bigint NOT NULL
);
CREATE TABLE public.confirmations (
    lead_id text NOT NULL,
    partner text NOT NULL,
    address text NOT NULL,
    network text NOT NULL,
    language text NOT NULL,
    created_at bigint NOT NULL,
    decision text,
    decided_at bigint,
    network_56 text,
    network_48 text,
    CONSTRAINT confirmations_decision_check CHECK ((decision = ANY (ARRAY['granted'::text, 'address'::text, 'network'::text, 'partner'::text])))
);
CREATE TABLE public.consent_texts (
    partner text NOT NULL,
    version text NOT NULL,
    text_hash text NOT NULL
);
CREATE TABLE public.consent_words (
    text_hash text NOT NULL,
    words text NOT NULL
);
CREATE TABLE public.consents (
    lead_id text NOT NULL,
    consent text NOT NULL
);
CREATE TABLE public.context_values (
    name text NOT NULL,
    value text NOT NULL,
    lead_id text NOT NULL
);
CREATE TABLE public.data_keys (
    check_value bigint NOT NULL,
    since bigint NOT NULL
);
CREATE TABLE public.deliveries (
    lead_id text NOT NULL,
    destination text NOT NULL,
    content text NOT NULL,
    gives_answer bigint NOT NULL,
    state text NOT NULL,
    attempts bigint NOT NULL,
    ambiguous bigint NOT NULL,
    ambiguous_counted bigint NOT NULL,
    next_attempt_at bigint NOT NULL,
    leased_until bigint NOT NULL,
    last_error text,
    remote_id text,
    settled_at bigint,
    happened_at bigint NOT NULL,
    failing_since bigint,
    last_reply text,
    recipients text,
    address text,
    former_addresses text,
    CONSTRAINT deliveries_content_check CHECK ((content = ANY (ARRAY['lead'::text, 'created'::text, 'answered'::text, 'refused'::text, 'held'::text, 'confirmation'::text, 'erased'::text, 'revoked'::text]))),
    CONSTRAINT deliveries_state_check CHECK ((state = ANY (ARRAY['waiting'::text, 'held'::text, 'refused'::text, 'failed'::text, 'delivered'::text, 'dropped'::text, 'skipped'::text])))
);
CREATE TABLE public.destination_addresses (
    destination text NOT NULL,
    address text NOT NULL,
    place text NOT NULL,
    first_used bigint NOT NULL,
    last_used bigint NOT NULL
);
CREATE TABLE public.erasure_requests (
    lead_id text NOT NULL,
    requested_at bigint NOT NULL
);
CREATE TABLE public.erasures_file (
    id bigint NOT NULL,
    known_until bigint NOT NULL,
    CONSTRAINT erasures_file_id_check CHECK ((id = 1))
);
CREATE TABLE public.evidence_keys (
    id text NOT NULL,
    public_key text NOT NULL,
    since bigint NOT NULL
);
CREATE TABLE public.heartbeat (
    id bigint NOT NULL,
    written_at bigint NOT NULL,
    filler text NOT NULL,
    CONSTRAINT heartbeat_id_check CHECK ((id = 1))
);
CREATE TABLE public.idempotency_keys (
    owner text NOT NULL,
    digest text NOT NULL,
    fingerprint text NOT NULL,
    lead_id text NOT NULL,
    created_at bigint NOT NULL
);
CREATE TABLE public.invitations (
    digest text NOT NULL,
    operator text NOT NULL,
    expires_at bigint NOT NULL
);
CREATE TABLE public.lead_days (
    day bigint NOT NULL,
    partner text NOT NULL,
    leads bigint NOT NULL,
    newest text NOT NULL
);
CREATE TABLE public.leads (
    id text NOT NULL,
    created_at bigint NOT NULL,
    cid text NOT NULL,
    partner text,
    lead_type text NOT NULL,
    lead text NOT NULL,
    suspect text,
    supersedes text,
    duplicate_of text,
    status text NOT NULL,
    rollover_amount bigint,
    sba_qualified_amount bigint,
    unsecured_amount bigint,
    portfolio_loan_qualified_amount bigint,
    total_qualified_amount bigint,
    reasons text NOT NULL,
    policy_version text,
    attribution text,
    utm_source text,
    utm_medium text,
    utm_campaign text,
    context text,
    erased_at bigint,
    revoked_at bigint,
    revoked_for text,
    suppressed_at bigint,
    mailbox_stopped_at bigint,
    CONSTRAINT leads_status_check CHECK ((status = ANY (ARRAY['done'::text, 'pending'::text, 'refused'::text])))
);
CREATE TABLE public.operator_sessions (
    digest text NOT NULL,
    operator text NOT NULL,
    began_at bigint NOT NULL,
    expires_at bigint NOT NULL,
    zone text NOT NULL,
    agent text NOT NULL
);
CREATE TABLE public.operators (
    id text NOT NULL,
    name text NOT NULL,
    role text NOT NULL,
    created_at bigint NOT NULL,
    revoked_at bigint,
    CONSTRAINT operators_role_check CHECK ((role = ANY (ARRAY['viewer'::text, 'agent'::text, 'admin'::text])))
);
CREATE TABLE public.passkeys (
    credential text NOT NULL,
    operator text NOT NULL,
    public_key bytea NOT NULL,
    counter bigint NOT NULL,
    is_synced bigint NOT NULL,
    created_at bigint NOT NULL,
    used_at bigint
);
CREATE TABLE public.paused_destinations (
    destination text NOT NULL,
    paused_at bigint NOT NULL,
    reason text NOT NULL,
    is_gone bigint
);
CREATE TABLE public.person_digests (
    digest text NOT NULL,
    lead_id text NOT NULL
);
CREATE TABLE public.person_search (
    id bigint NOT NULL,
    data_key bigint NOT NULL,
    blob bytea NOT NULL,
    done_until text NOT NULL,
    CONSTRAINT person_search_id_check CHECK ((id = 1))
);
CREATE TABLE public.processes (
    id text NOT NULL,
    seen_at bigint NOT NULL,
    report text NOT NULL
);
CREATE TABLE public.reload_requests (
    id bigint NOT NULL,
    request text NOT NULL,
    CONSTRAINT reload_requests_id_check CHECK ((id = 1))
);
CREATE TABLE public.same_leads (
    partner text NOT NULL,
    digest text NOT NULL,
    lead_id text NOT NULL,
    created_at bigint NOT NULL
);
CREATE TABLE public.schema_compatibility (
    id bigint NOT NULL,
    oldest_server bigint NOT NULL,
    CONSTRAINT schema_compatibility_id_check CHECK ((id = 1))
);
CREATE TABLE public.schema_version (
    version bigint NOT NULL
);
CREATE TABLE public.sealed (
    lead_id text NOT NULL,
    part text NOT NULL,
    data_key bigint NOT NULL,
    blob bytea NOT NULL
);
CREATE TABLE public.spent_proofs (
    nonce text NOT NULL,
    expires_at bigint NOT NULL
);
CREATE TABLE public.stops (
    id text NOT NULL,
    kind text NOT NULL,
    digest text NOT NULL,
    scope text NOT NULL,
    lead_id text,
    asked_at bigint NOT NULL,
    entered_at bigint NOT NULL,
    way text,
    reason text,
    CONSTRAINT stops_kind_check CHECK ((kind = ANY (ARRAY['stop'::text, 'ask'::text, 'allow'::text])))
);
CREATE TABLE public.store_mark (
    id bigint NOT NULL,
    mark text NOT NULL,
    place text NOT NULL,
    CONSTRAINT store_mark_id_check CHECK ((id = 1)),
    CONSTRAINT store_mark_mark_check CHECK ((mark = ANY (ARRAY['moved'::text, 'unfinished'::text])))
);
CREATE TABLE public.suppressed (
    digest text NOT NULL,
    scope text NOT NULL,
    since bigint NOT NULL,
    decided_at bigint,
    reason text,
    kind text,
    asked_at bigint,
    CONSTRAINT suppressed_kind_check CHECK ((kind = ANY (ARRAY['number'::text, 'both'::text, 'mailbox'::text])))
);
CREATE TABLE public.troubles (
    name text NOT NULL,
    title text NOT NULL,
    began_at bigint NOT NULL,
    seen_at bigint NOT NULL,
    told bigint NOT NULL,
    due_at bigint NOT NULL,
    last_error text
);
CREATE TABLE public.unreadable_leads (
    lead_id text NOT NULL,
    met_at bigint NOT NULL
);
CREATE TABLE public.version_requests (
    day bigint NOT NULL,
    version text NOT NULL,
    origin text NOT NULL,
    requests bigint NOT NULL
);
INSERT INTO public.consent_words VALUES ('35309476629edc18124f5c9425b450f773a0517e77ca93493516988e30636dc1', 'With {button}, I agree that Acme Funding may call me about my estimate.');
INSERT INTO public.consent_words VALUES ('5c55c2c4cb6cae9982ccb3f887718ec09daeb655cadf070508faab1428921739', 'With See my estimate, I agree that Acme Funding may call me about my estimate.');
INSERT INTO public.data_keys VALUES (3705438729, 1796113824784);
INSERT INTO public.deliveries VALUES ('01a230b9-fdaa-7337-adf5-304d54cc7197', 'crm', 'created', 0, 'waiting', 2, 0, 0, 1796113827455, 0, 'The receiver 127.0.0.1 refused the connection: nothing listens at its address and port (ECONNREFUSED)', NULL, NULL, 1796113825194, 1796113825271, NULL, NULL, '2bea5f53db98113b', NULL);
INSERT INTO public.destination_addresses VALUES ('crm', '2bea5f53db98113b', '127.0.0.1:20807', 1796113825271, 1796113826070);
INSERT INTO public.evidence_keys VALUES ('J1bmhbj6YMhWfGcE6aiUF4s4DsEGuloIBdqd8vi1CL8', 'qceaXOk9roPOqIILxrT_h8nuxVbdB5Tonr4jdOB_it0', 1796113824800);
INSERT INTO public.heartbeat VALUES (1, 1796113826838, '0001796113826838');
INSERT INTO public.idempotency_keys VALUES ('partner:birch', '1b4eaf37e3f678f70fb40b382afa9c85f1ba7fdee47a673046fd86b0188bf293', '37187982de56d0d83a92999f833ff201684887a40999357237982a4cf19d779d', '01a230b9-fdaa-7337-adf5-304d54cc7197', 1796113825194);
INSERT INTO public.leads VALUES ('01a230b9-fd72-77a1-a778-485a08b6715e', 1796113825138, '1001', NULL, 'prequalification', '', NULL, NULL, NULL, 'done', NULL, NULL, NULL, NULL, NULL, '{}', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.leads VALUES ('01a230b9-fdaa-7337-adf5-304d54cc7197', 1796113825194, '1002', 'birch', 'standard', '', NULL, NULL, NULL, 'done', NULL, NULL, NULL, NULL, NULL, '{}', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.person_search VALUES (1, 3705438729, '\x01dcdc8209f46130e7b913f04d1a2e2aeb35bd71808812e02822261b1c09661ba1ebe326b193422bc9a9018df632c5fde78f83846127645f8df835299c9de16b495d3caa46656f6459435947', '00000000-0000');
INSERT INTO public.schema_compatibility VALUES (1, 17);
INSERT INTO public.schema_version VALUES (19);
INSERT INTO public.sealed VALUES ('01a230b9-fd72-77a1-a778-485a08b6715e', 'lead', 3705438729, '\x01dcdc82096aa79c607eec4592ba870a93997b85d8395c41caae2e858aea805eb7db1dfb908c8d87796b6a3fb0c9c57d5c6eae6537b6b52ce17593dd68444705a3e8058d4ecf249bbddf9747b4ee9889f1f4b0195475bdf7282130f39bed507c33b5300955ec86b512779b818067d6fb6ed9c9bd0c7ececf3f806ec3e7a3451f0e551b1d6b135237c3c2c0d365638a72d3a16153fdffef9f47188da4c6e4e36336b35fe3d269148867fdd8b76e38d7d0024dde734e9bbaec7213283ce4ecc45dd9d5850d50962bbb959c8f26c4235f4f757bb5b61b8dae68377d70457ff775a0a5a85ffc5c2f720fd2c2fea28c94cb4f1ebb26f08ad5eedc3895a47bad2fa876350e424c26e89773d158964f7c99927c7596e3b359bdce86c85662444534781e4bb78cc3e221c69e20ed7640e9345e8cac4a1f342033980051d5aa561dd3ec744363f43dc773b51017cf70911fd3f4eb6e362566af618d4f98746598d3b2aba70911c4706912f5d3a79ccfa051d9d2a34ee1efd1e551e8d7f301e2330c4f57c326b93a04e2c87e78952ac5f420e13ca20bda569d14f3da479347c0c02b66e917a40083f6becffce5cfdaad7ef888713c7b6adc3688062cacf83b7d1ca2f1bd6a17d9d3123af7b75c5e602e1b64edac58bb12c5058019e4ae30f219938ba5954a87966fc799165c00e5f0d1a9a3031541cd2c3076af0ea092a15dbf48eb1c1231054ac8b27d77');
INSERT INTO public.sealed VALUES ('01a230b9-fdaa-7337-adf5-304d54cc7197', 'lead', 3705438729, '\x01dcdc820907144ead4ff2be2b5b8c50ef3833385011bccf011508ae94a70da38b163972cbe26fdc177b72ccd338d75ea3287a7c3b2838673ccd5edbfa065c47e0e205ef53991c2d6d8b1c479789dca5ce44b90f7d055aaf8e6c468d21f59bd66adc6df607f3a06aa37a18d6a2e0ea1620e0f77eca3ec4bca6d58b5ab13129b0d98a55411e0207bd39805c3b5979fc9bd4e9ee881bbdbc0e2796f0667b669fd152495fabf8118c201e2f4d0c353936dfe511f64a9a0652ec365be2ed36b64f6a261d3d2d13a2f0e7c6c5f6ef41768db4baa803f2ad22a670e507a4668c6546cd4720c8f9f697b2fb06549f7a69698632623ec519e83026c90b0f7e17051bc805d6f7186d4839fd2cd57abbe1500907fbad86d304e740a64440e4df2cf50043cc42735f98114115661bd6f19d3daf604746076658ece5ebe3e8b0aee1fbc48ea244afe78c3cee00d6f0c56b52b3f1d10a7d911e8c1f941afa0312703d1a5a748b962e194e2d4b4d072ab1993707daa392644bd209f1546bc38a7eb0a6f085d3f9d78cee66f92b37653d4ca1f88d989579c10133bf2987ce');
ALTER TABLE ONLY public.alerts
    ADD CONSTRAINT alerts_pkey PRIMARY KEY (destination);
ALTER TABLE ONLY public.audit_leads
    ADD CONSTRAINT audit_leads_pkey PRIMARY KEY (lead_id, id);
ALTER TABLE ONLY public.audit
    ADD CONSTRAINT audit_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.break_ends
    ADD CONSTRAINT break_ends_pkey PRIMARY KEY (destination);
ALTER TABLE ONLY public.confirmations
    ADD CONSTRAINT confirmations_pkey PRIMARY KEY (lead_id);
ALTER TABLE ONLY public.consent_texts
    ADD CONSTRAINT consent_texts_pkey PRIMARY KEY (partner, version);
ALTER TABLE ONLY public.consent_words
    ADD CONSTRAINT consent_words_pkey PRIMARY KEY (text_hash);
ALTER TABLE ONLY public.consents
    ADD CONSTRAINT consents_pkey PRIMARY KEY (lead_id);
ALTER TABLE ONLY public.context_values
    ADD CONSTRAINT context_values_pkey PRIMARY KEY (name, value, lead_id);
ALTER TABLE ONLY public.data_keys
    ADD CONSTRAINT data_keys_pkey PRIMARY KEY (check_value);
ALTER TABLE ONLY public.deliveries
    ADD CONSTRAINT deliveries_pkey PRIMARY KEY (lead_id, destination, content);
ALTER TABLE ONLY public.destination_addresses
    ADD CONSTRAINT destination_addresses_pkey PRIMARY KEY (destination, address);
ALTER TABLE ONLY public.erasure_requests
    ADD CONSTRAINT erasure_requests_pkey PRIMARY KEY (lead_id);
ALTER TABLE ONLY public.erasures_file
    ADD CONSTRAINT erasures_file_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.evidence_keys
    ADD CONSTRAINT evidence_keys_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.heartbeat
    ADD CONSTRAINT heartbeat_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.idempotency_keys
    ADD CONSTRAINT idempotency_keys_pkey PRIMARY KEY (owner, digest);
ALTER TABLE ONLY public.invitations
    ADD CONSTRAINT invitations_pkey PRIMARY KEY (digest);
ALTER TABLE ONLY public.lead_days
    ADD CONSTRAINT lead_days_pkey PRIMARY KEY (day, partner);
ALTER TABLE ONLY public.leads
    ADD CONSTRAINT leads_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.operator_sessions
    ADD CONSTRAINT operator_sessions_pkey PRIMARY KEY (digest);
ALTER TABLE ONLY public.operators
    ADD CONSTRAINT operators_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.passkeys
    ADD CONSTRAINT passkeys_pkey PRIMARY KEY (credential);
ALTER TABLE ONLY public.paused_destinations
    ADD CONSTRAINT paused_destinations_pkey PRIMARY KEY (destination);
ALTER TABLE ONLY public.person_digests
    ADD CONSTRAINT person_digests_pkey PRIMARY KEY (digest, lead_id);
ALTER TABLE ONLY public.person_search
    ADD CONSTRAINT person_search_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.processes
    ADD CONSTRAINT processes_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.reload_requests
    ADD CONSTRAINT reload_requests_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.same_leads
    ADD CONSTRAINT same_leads_pkey PRIMARY KEY (partner, digest);
ALTER TABLE ONLY public.schema_compatibility
    ADD CONSTRAINT schema_compatibility_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.sealed
    ADD CONSTRAINT sealed_pkey PRIMARY KEY (lead_id, part);
ALTER TABLE ONLY public.spent_proofs
    ADD CONSTRAINT spent_proofs_pkey PRIMARY KEY (nonce);
ALTER TABLE ONLY public.stops
    ADD CONSTRAINT stops_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.store_mark
    ADD CONSTRAINT store_mark_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.suppressed
    ADD CONSTRAINT suppressed_pkey PRIMARY KEY (digest, scope);
ALTER TABLE ONLY public.troubles
    ADD CONSTRAINT troubles_pkey PRIMARY KEY (name);
ALTER TABLE ONLY public.unreadable_leads
    ADD CONSTRAINT unreadable_leads_pkey PRIMARY KEY (lead_id);
ALTER TABLE ONLY public.version_requests
    ADD CONSTRAINT version_requests_pkey PRIMARY KEY (day, version, origin);
CREATE INDEX audit_lead ON public.audit USING btree (ids) WHERE (leads = 1);
CREATE INDEX confirmations_address ON public.confirmations USING btree (address, decided_at) WHERE (decision = 'granted'::text);
CREATE INDEX confirmations_network ON public.confirmations USING btree (network, decided_at) WHERE (decision = 'granted'::text);
CREATE INDEX confirmations_network_48 ON public.confirmations USING btree (network_48, decided_at) WHERE (decision = 'granted'::text);
CREATE INDEX confirmations_network_56 ON public.confirmations USING btree (network_56, decided_at) WHERE (decision = 'granted'::text);
CREATE INDEX confirmations_partner ON public.confirmations USING btree (partner, decided_at) WHERE (decision = 'granted'::text);
CREATE INDEX context_values_lead ON public.context_values USING btree (lead_id);
CREATE INDEX deliveries_due ON public.deliveries USING btree (destination, next_attempt_at) WHERE (state = 'waiting'::text);
CREATE INDEX deliveries_open ON public.deliveries USING btree (lead_id, destination, content, state) WHERE (settled_at IS NULL);
CREATE INDEX deliveries_stopped ON public.deliveries USING btree (state, lead_id, destination, content) WHERE ((settled_at IS NULL) AND (state <> 'waiting'::text));
CREATE INDEX deliveries_stops ON public.deliveries USING btree (destination, next_attempt_at) WHERE ((settled_at IS NULL) AND (content = ANY (ARRAY['erased'::text, 'revoked'::text])));
CREATE INDEX idempotency_keys_lead ON public.idempotency_keys USING btree (lead_id);
CREATE INDEX leads_duplicate_of ON public.leads USING btree (duplicate_of) WHERE (duplicate_of IS NOT NULL);
CREATE INDEX leads_overview ON public.leads USING btree (id, partner, status, utm_campaign);
CREATE INDEX leads_reference ON public.leads USING btree (substr(id, 27));
CREATE INDEX leads_supersedes ON public.leads USING btree (supersedes) WHERE (supersedes IS NOT NULL);
CREATE INDEX leads_suppressed ON public.leads USING btree (id) WHERE (suppressed_at IS NOT NULL);
CREATE INDEX operator_sessions_operator ON public.operator_sessions USING btree (operator);
CREATE INDEX passkeys_operator ON public.passkeys USING btree (operator);
CREATE INDEX same_leads_lead ON public.same_leads USING btree (lead_id);
CREATE INDEX sealed_consents ON public.sealed USING btree (lead_id) WHERE (part = 'consent'::text);
CREATE INDEX stops_digest ON public.stops USING btree (digest);
CREATE INDEX stops_lead ON public.stops USING btree (lead_id) WHERE (lead_id IS NOT NULL);
ALTER TABLE ONLY public.confirmations
    ADD CONSTRAINT confirmations_lead_id_fkey FOREIGN KEY (lead_id) REFERENCES public.leads(id);
ALTER TABLE ONLY public.consents
    ADD CONSTRAINT consents_lead_id_fkey FOREIGN KEY (lead_id) REFERENCES public.leads(id);
ALTER TABLE ONLY public.context_values
    ADD CONSTRAINT context_values_lead_id_fkey FOREIGN KEY (lead_id) REFERENCES public.leads(id);
ALTER TABLE ONLY public.deliveries
    ADD CONSTRAINT deliveries_lead_id_fkey FOREIGN KEY (lead_id) REFERENCES public.leads(id);
ALTER TABLE ONLY public.idempotency_keys
    ADD CONSTRAINT idempotency_keys_lead_id_fkey FOREIGN KEY (lead_id) REFERENCES public.leads(id);
ALTER TABLE ONLY public.same_leads
    ADD CONSTRAINT same_leads_lead_id_fkey FOREIGN KEY (lead_id) REFERENCES public.leads(id);
ALTER TABLE ONLY public.sealed
    ADD CONSTRAINT sealed_lead_id_fkey FOREIGN KEY (lead_id) REFERENCES public.leads(id);
